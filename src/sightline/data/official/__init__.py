"""Published corpora in their published forms, one file a format; `sightline.data.official.formats` lists them."""

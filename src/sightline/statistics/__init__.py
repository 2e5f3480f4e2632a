"""From raw numbers of texts to numbers with intervals, and from those to effects against a floor."""

"""What each measure of an audit is: where it is made, its settings, and each number it gives."""

"""What is asked of a model that comes from elsewhere: one function a question, each giving what it found in words."""

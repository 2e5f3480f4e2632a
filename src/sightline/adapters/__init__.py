"""Models from elsewhere behind the interface of an audit: PyTorch modules, Hugging Face models,
functions.
"""

def pytest_collection_modifyitems(items):
    """Begin with the tests that follow the guide, the longest, while others can run beside them."""
    items.sort(key=lambda item: "followed" not in item.fixturenames)

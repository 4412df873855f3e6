"""The constructions, one public function a file; all of them are names of :mod:`orr`."""

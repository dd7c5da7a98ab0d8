"""The emotion and intent reader that everybody uses: a small ONNX model, read without torch."""

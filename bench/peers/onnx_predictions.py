"""What Python's ONNX Runtime says of features: python onnx_predictions.py MODEL FEATURES PREDICTIONS. Prints JSON."""
import csv
import json
import sys

import numpy
import onnxruntime

model, features, predictions = sys.argv[1:]
session = onnxruntime.InferenceSession(model)
x = numpy.load(features).astype(numpy.float32)
probabilities = session.run(["probabilities"], {"features": x})[0]
classes = json.loads(session.get_modelmeta().custom_metadata_map["classes"])
with open(predictions, newline="") as file:
    rows = list(csv.DictReader(file))
largest = max(abs(float(row["confidence"]) - p.max()) for row, p in zip(rows, probabilities))
other = sum(row["label"] != classes[p.argmax()] for row, p in zip(rows, probabilities))
print(json.dumps({"rows": len(rows), "largest": float(largest), "other": other, "version": onnxruntime.__version__}))

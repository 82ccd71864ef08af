/**
 * Writes ONNX models: the protobuf fields that a small graph needs, by their numbers in
 * https://github.com/onnx/onnx/blob/main/onnx/onnx.proto.
 */

const IR_VERSION = 8;
const OPSET_VERSION = 13;

const elementTypes = { float: 1, int32: 6, int64: 7 } as const;

/** An input or output tensor of a graph; a named dimension may have any size. */
export interface GraphValue {
  name: string;
  type: keyof typeof elementTypes;
  shape: readonly (number | string)[];
}

/** A constant of a graph, in row-major order. */
export interface GraphConstant {
  name: string;
  type: keyof typeof elementTypes;
  shape: readonly number[];
  values: readonly number[];
}

export interface GraphNode {
  operator: string;
  inputs: readonly string[];
  outputs: readonly string[];
  /** Integers and lists of integers, all that these graphs need. */
  attributes?: Readonly<Record<string, number | readonly number[]>>;
}

export interface OnnxModel {
  inputs: readonly GraphValue[];
  outputs: readonly GraphValue[];
  nodes: readonly GraphNode[];
  constants?: readonly GraphConstant[];
  metadata?: Readonly<Record<string, string | number>>;
}

/** Encodes an `.onnx` file. */
export function encodeOnnx({
  inputs,
  outputs,
  nodes,
  constants = [],
  metadata = {},
}: OnnxModel): Buffer {
  const graph = Buffer.concat([
    ...nodes.map((node) => field(1, encodeNode(node))),
    field(2, 'graph'),
    ...constants.map((constant) => field(5, encodeTensor(constant))),
    ...inputs.map((value) => field(11, encodeValue(value))),
    ...outputs.map((value) => field(12, encodeValue(value))),
  ]);
  return Buffer.concat([
    field(1, IR_VERSION),
    field(7, graph),
    field(8, field(2, OPSET_VERSION)),
    ...Object.entries(metadata).map(([key, value]) =>
      field(14, Buffer.concat([field(1, key), field(2, `${value}`)])),
    ),
  ]);
}

function encodeNode({ operator, inputs, outputs, attributes = {} }: GraphNode): Buffer {
  return Buffer.concat([
    ...inputs.map((name) => field(1, name)),
    ...outputs.map((name) => field(2, name)),
    field(4, operator),
    ...Object.entries(attributes).map(([name, value]) => field(5, encodeAttribute(name, value))),
  ]);
}

function encodeAttribute(name: string, value: number | readonly number[]): Buffer {
  const [INT, INTS] = [2, 7];
  return typeof value === 'number'
    ? Buffer.concat([field(1, name), field(3, value), field(20, INT)])
    : Buffer.concat([field(1, name), ...value.map((each) => field(8, each)), field(20, INTS)]);
}

function encodeTensor({ name, type, shape, values }: GraphConstant): Buffer {
  return Buffer.concat([
    ...shape.map((size) => field(1, size)),
    field(2, elementTypes[type]),
    field(8, name),
    field(9, rawData(type, values)),
  ]);
}

function rawData(type: GraphConstant['type'], values: readonly number[]): Buffer {
  const array =
    type === 'float'
      ? Float32Array.from(values)
      : type === 'int32'
        ? Int32Array.from(values)
        : BigInt64Array.from(values, BigInt);
  return Buffer.from(array.buffer, array.byteOffset, array.byteLength);
}

function encodeValue({ name, type, shape }: GraphValue): Buffer {
  const dimensions = shape.map((size) =>
    field(1, typeof size === 'number' ? field(1, size) : field(2, size)),
  );
  const tensor = Buffer.concat([field(1, elementTypes[type]), field(2, Buffer.concat(dimensions))]);
  return Buffer.concat([field(1, name), field(2, field(1, tensor))]);
}

/** Encodes a protobuf field: integers as varints, text and bytes with their length. */
export function field(number: number, value: number | string | Buffer): Buffer {
  const VARINT = 0;
  const LENGTH_DELIMITED = 2;
  if (typeof value === 'number') {
    return Buffer.concat([varint((number << 3) | VARINT), varint(value)]);
  }
  const bytes = Buffer.from(value as string);
  return Buffer.concat([varint((number << 3) | LENGTH_DELIMITED), varint(bytes.length), bytes]);
}

function varint(value: number): Buffer {
  const bytes: number[] = [];
  // Negative numbers take ten bytes: 64-bit two's complement.
  let rest = BigInt.asUintN(64, BigInt(value));
  while (rest >= 128n) {
    bytes.push(Number(rest & 127n) | 128);
    rest >>= 7n;
  }
  bytes.push(Number(rest));
  return Buffer.from(bytes);
}

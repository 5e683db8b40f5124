import { type DescMethod, type DescService, fromBinary, type MessageShape, toBinary } from '@bufbuild/protobuf';

/** A method in the form of grpc-js, without depending on it: path, kind and the four conversions. */
export interface GrpcMethod<Request = unknown, Response = unknown> {
  readonly path: string;
  readonly requestStream: boolean;
  readonly responseStream: boolean;
  readonly requestSerialize: (message: Request) => Buffer;
  readonly requestDeserialize: (bytes: Buffer) => Request;
  readonly responseSerialize: (message: Response) => Buffer;
  readonly responseDeserialize: (bytes: Buffer) => Response;
}

export type GrpcDefinition<S extends DescService> = {
  readonly [M in keyof S['method']]: S['method'][M] extends DescMethod
    ? GrpcMethod<MessageShape<S['method'][M]['input']>, MessageShape<S['method'][M]['output']>>
    : never;
};

/** The definition of a generated service, by method names as generated (`enrol`, `connect`). */
export function toGrpcDefinition<S extends DescService>(service: S): GrpcDefinition<S> {
  const methods = service.methods.map((method): [string, GrpcMethod] => [method.localName, toGrpcMethod(method)]);
  return Object.fromEntries(methods) as GrpcDefinition<S>;
}

function toGrpcMethod(method: DescMethod): GrpcMethod {
  const { input, output, methodKind } = method;
  return {
    path: `/${method.parent.typeName}/${method.name}`,
    requestStream: methodKind === 'client_streaming' || methodKind === 'bidi_streaming',
    responseStream: methodKind === 'server_streaming' || methodKind === 'bidi_streaming',
    requestSerialize: (message) => Buffer.from(toBinary(input, message as MessageShape<typeof input>)),
    requestDeserialize: (bytes) => fromBinary(input, bytes),
    responseSerialize: (message) => Buffer.from(toBinary(output, message as MessageShape<typeof output>)),
    responseDeserialize: (bytes) => fromBinary(output, bytes),
  };
}

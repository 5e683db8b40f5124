/** The shape of a field, for a first assessment of new fields. */
export interface FieldShape {
  readonly name: string;
  readonly kind: 'scalar' | 'enum' | 'message';
  /** `string`, `uint32`... for a scalar, otherwise the full name. */
  readonly type: string;
}

const TEXT = /^(?:string|bytes)$/;
const WRAPPED_TEXT = /^google\.protobuf\.(?:String|Bytes)Value$/;
const NUMBER = /^(?:u?int(?:32|64)|s?fixed(?:32|64)|sint(?:32|64)|google\.protobuf\.U?Int(?:32|64)Value)$/;

/**
 * Names of texts that may locate something outside the document: files, sockets, addresses, servers, programs,
 * identities.
 */
const LOCATING =
  /locator|path|file|(?:^|_)dirs?(?:_|$)|directory|socket|(?:^|_)ur[il]s?(?:_|$)|target|(?:^|_)env(?:_|$)|environment|address|host|cluster|service|server|resolver|resource|librar|module|plugin|command|binary|(?:^|_)script|(?:^|_)code(?:_|$)|source|device|namespace|unix|pipe|interface|root|endpoint|authority|proxy|credential|account|access_log|collector|listener/;
const PORT = /(?:^|_)ports?(?:_|$)/;

/** Messages that lead out of the document, and free forms with any meaning. */
const LEADING_OUT =
  /^(?:envoy\.config\.core\.v3\.(?:Address|ApiConfigSource|AsyncDataSource|BindConfig|ConfigSource|DataSource|EnvoyInternalAddress|ExtensionConfigSource|GrpcService|HttpService|HttpUri|PathConfigSource|Pipe|RemoteDataSource|SocketAddress|SocketOption|SocketOptionsOverride|WatchedDirectory)|envoy\.extensions\.transport_sockets\.tls\.v3\.SdsSecretConfig|xds\.core\.v3\.ResourceLocator|google\.protobuf\.(?:Struct|Value|ListValue))$/;

/** Whether a field of this shape needs an explicit decision before tenants may use it. */
export function isSuspicious({ name, kind, type }: FieldShape): boolean {
  if (kind === 'enum') return false;
  if (TEXT.test(type) || WRAPPED_TEXT.test(type)) return LOCATING.test(name);
  if (NUMBER.test(type)) return PORT.test(name);
  return kind === 'message' && LEADING_OUT.test(type);
}

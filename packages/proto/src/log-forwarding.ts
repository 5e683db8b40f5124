/**
 * The form of texts in the configuration of log forwarding. The controller and the agent compare with the same patterns: no text
 * that ends up in the configuration of another program may contain a character with a meaning there.
 */
export const FORWARDING_PATTERNS = {
  /** A host name, an IPv4 or an IPv6 address. */
  host: /^(?:(?=.{1,253}$)[A-Za-z0-9](?:[A-Za-z0-9-]{0,61}[A-Za-z0-9])?(?:\.[A-Za-z0-9](?:[A-Za-z0-9-]{0,61}[A-Za-z0-9])?)*|(?=[^:]*:[^:]*:)[0-9A-Fa-f:.]{2,45})$/,
  /** Blocks of PEM without anything between them. */
  pem: /^(?:-----BEGIN [A-Z0-9 ]{1,40}-----\r?\n(?:[A-Za-z0-9+/=]+\r?\n)+-----END [A-Z0-9 ]{1,40}-----(?:\r?\n)*)+$/,
} as const;

export const PEM_MAX = 64 * 1024;

/** Stands for a stored secret, in answers and in updates that keep it. */
export const KEPT_SECRET = '***';

export const SYSLOG_PROTOCOLS = ['udp', 'tcp'] as const;

export interface ForwardingTls {
  /** The authorities that may have signed the certificate of the server. Null: those of the host. */
  readonly ca_cert: string | null;
  readonly client_cert: string | null;
  readonly client_key: string | null;
  /** The name in the certificate of the server, if it is not the target. */
  readonly server_name: string | null;
}

/** Where the logs of a host go, as the agent gets it. */
export interface SyslogConfig {
  readonly rsyslog_output: {
    readonly target: string;
    readonly port: number;
    readonly protocol: (typeof SYSLOG_PROTOCOLS)[number];
    readonly tls: ForwardingTls | null;
  };
}

/** The programs that ship logs to a search engine. */
export const SHIPPER_DRIVERS = ['filebeat', 'rsyslog'] as const;
export type ShipperDriverName = (typeof SHIPPER_DRIVERS)[number];

export const SHIPPER_LIMITS = {
  inputsMax: 16,
  pathsMax: 32,
  hostsMax: 16,
  fieldsMax: 64,
  layoutsMax: 10,
  secretMax: 1024,
} as const;

const HOST = String.raw`(?:[A-Za-z0-9](?:[A-Za-z0-9.-]{0,251}[A-Za-z0-9])?|\[[0-9A-Fa-f:.]{2,45}\])`;
const PORT = String.raw`(?:[1-9]\d{0,3}|[1-5]\d{4}|6[0-4]\d{3}|65[0-4]\d{2}|655[0-2]\d|6553[0-5])`;

/** The form of texts in the configuration of a log shipper. */
export const SHIPPER_PATTERNS = {
  /** Names of our own inputs are taken. */
  id: /^(?!(?:envoy|filter|access)$)[a-z][a-z0-9_-]{0,31}$/,
  /** A file below /var/log, where `*` stands for any text within a folder. */
  path: /^\/var\/log(?:\/(?!\.{1,2}(?:\/|$))[A-Za-z0-9._*@:+=,-]+)+$/,
  url: new RegExp(String.raw`^https?:\/\/${HOST}(?::${PORT})?(?:\/(?!\.{1,2}(?:\/|$))[A-Za-z0-9._~-]+)*\/?$`),
  hostAndPort: new RegExp(`^${HOST}:${PORT}$`),
  index: /^(?!.*\.\.)[a-z0-9][a-z0-9._-]*$/,
  field: /^[A-Za-z@_][A-Za-z0-9@_.-]*$/,
  printable: /^[^\p{Cc}\p{Cs}\u2028\u2029]+$/u,
  user: /^[^:\p{Cc}\p{Cs}\u2028\u2029]+$/u,
  apiKey: /^[\w-]{1,256}:[\w-]{1,256}$/,
} as const;

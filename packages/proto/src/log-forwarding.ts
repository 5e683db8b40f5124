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

import type { FieldGuide } from './guide.ts';

const TLS = 'envoy.extensions.transport_sockets.tls.v3';

/** Listeners, their chains, and TLS on both sides. */
export const LISTENER_GUIDE: FieldGuide = {
  'envoy.config.listener.v3.Listener': {
    name: 'How services and metrics call this listener.',
    address: 'Where it accepts connections; the address "@client" stands for those of each client.',
    filter_chains: 'What is done with a connection; the chain whose match fits best is taken.',
    default_filter_chain: 'Taken for connections that no other chain matches.',
    listener_filters: 'Look at a connection before a chain is chosen, for instance at the server name of TLS.',
    per_connection_buffer_limit_bytes: 'Most that is buffered per connection; 1 MiB when left out.',
    access_log: 'Records of connections; records of requests belong to the HTTP connection manager.',
    socket_options: 'Options set on the listening socket itself.',
    enable_reuse_port: 'Each worker thread gets a socket of its own; on when left out.',
    connection_balance_config: 'How connections are spread over worker threads.',
    udp_listener_config: 'Makes it a UDP or QUIC listener; the address must then be UDP.',
    traffic_direction: 'Tells tracing and statistics whether traffic comes in or goes out.',
  },
  'envoy.config.listener.v3.FilterChain': {
    filters:
      'Network filters in order; the last one ends the chain, usually the HTTP connection manager or the TCP proxy.',
    filter_chain_match: 'Which connections this chain is for; without it, all.',
    transport_socket: 'TLS towards the clients; plain text when left out.',
    name: 'Tells chains apart in statistics and updates.',
    transport_socket_connect_timeout: 'How long the TLS handshake may take.',
  },
  'envoy.config.listener.v3.FilterChainMatch': {
    server_names: 'Server names of TLS (SNI); "*.example.com" matches below it. Needs the TLS inspector.',
    transport_protocol: '"tls" or "raw_buffer", as found by the TLS inspector.',
    application_protocols: 'Protocols negotiated by ALPN, such as "h2".',
    destination_port: 'Port that the connection was made to.',
    prefix_ranges: 'Destination addresses.',
    source_prefix_ranges: 'Addresses that the connection comes from.',
  },
  'envoy.config.listener.v3.Filter': {
    name: 'Free to choose; by custom the name of the extension.',
    typed_config: 'The network filter and its settings.',
  },
  'envoy.config.listener.v3.ListenerFilter': {
    name: 'Free to choose; by custom the name of the extension.',
    typed_config: 'The listener filter and its settings.',
  },
  'envoy.config.core.v3.Address': {
    socket_address: 'An IP address or host name with a port.',
    pipe: 'A Unix domain socket.',
  },
  'envoy.config.core.v3.SocketAddress': {
    address: 'IP address, or a host name where it is resolved; in a listener also "@client".',
    port_value: 'Port from 0 to 65535.',
    protocol: 'TCP when left out.',
    ipv4_compat: 'An IPv6 socket on "::" takes IPv4 connections, too.',
  },
  'envoy.config.core.v3.CidrRange': {
    address_prefix: 'The network address, such as 192.0.2.0.',
    prefix_len: 'How many leading bits must agree; 0 when left out.',
  },
  'envoy.config.core.v3.TransportSocket': {
    name: 'By custom the name of the extension, such as envoy.transport_sockets.tls.',
    typed_config: 'The transport and its settings: TLS contexts differ between listeners and clusters.',
  },
  'envoy.config.core.v3.TypedExtensionConfig': {
    name: 'Free to choose; by custom the name of the extension.',
    typed_config: 'The extension and its settings.',
  },
  'envoy.config.core.v3.DataSource': {
    filename: 'A file on the host; "files/..." lies in the folder of the service.',
    inline_string: 'The content itself, as text.',
    inline_bytes: 'The content itself, as base64.',
    environment_variable: 'Name of a variable of the Envoy process that holds the content.',
  },
  [`${TLS}.DownstreamTlsContext`]: {
    common_tls_context: 'Certificates, trust and protocol versions.',
    require_client_certificate: 'Refuses clients that show no certificate that can be verified.',
    require_sni: 'Refuses connections that name no server.',
    session_timeout: 'How long a TLS session can be resumed.',
    disable_stateless_session_resumption: 'Gives no session tickets to clients.',
  },
  [`${TLS}.UpstreamTlsContext`]: {
    common_tls_context: 'Trust, client certificate and protocol versions.',
    sni: 'Server name that is sent to the upstream.',
    auto_host_sni: 'Sends the host name of the endpoint as server name.',
    allow_renegotiation: 'Lets the upstream renegotiate; not safe, off when left out.',
    max_session_keys: 'How many sessions are kept for resumption; 1 when left out.',
  },
  [`${TLS}.CommonTlsContext`]: {
    tls_certificate_sds_secret_configs: 'Certificates from stored secrets, renewed without a restart.',
    tls_certificates: 'Certificates written here.',
    validation_context: 'Which certificates of the other side are trusted, written here.',
    validation_context_sds_secret_config: 'The same, from a stored secret.',
    combined_validation_context: 'Trust from a stored secret together with rules written here.',
    alpn_protocols: 'Protocols offered, in order of preference, such as "h2" and "http/1.1".',
    tls_params: 'Protocol versions, ciphers and curves.',
  },
  [`${TLS}.TlsParameters`]: {
    tls_minimum_protocol_version: 'Oldest version taken; 1.2 when left out.',
    tls_maximum_protocol_version: 'Newest version taken.',
    cipher_suites: 'Ciphers for TLS up to 1.2.',
    ecdh_curves: 'Curves for the key exchange.',
  },
  [`${TLS}.TlsCertificate`]: {
    certificate_chain: 'The certificate followed by those that lead to its issuer, as PEM.',
    private_key: 'Its private key as PEM; sealed when stored.',
    password: 'Opens an encrypted private key; sealed when stored.',
    ocsp_staple: 'A stapled answer about revocation, as DER.',
  },
  [`${TLS}.CertificateValidationContext`]: {
    trusted_ca: 'Certificates of the authorities to trust, as PEM.',
    match_typed_subject_alt_names: 'Names of which the certificate must carry at least one.',
    verify_certificate_spki: 'Digests of public keys that are taken.',
    verify_certificate_hash: 'Digests of certificates that are taken.',
    crl: 'Revoked certificates, as PEM.',
    trust_chain_verification: 'Whether certificates that cannot be verified are taken all the same.',
  },
  [`${TLS}.SdsSecretConfig`]: {
    name: 'Name of the stored secret.',
    sds_config: 'Where it comes from; the controller sets it for stored secrets.',
  },
  [`${TLS}.Secret`]: {
    name: 'How listeners and clusters name it.',
    tls_certificate: 'A certificate with its private key.',
    validation_context: 'Authorities and rules to verify the other side by.',
    generic_secret: 'Any other secret, for instance a token.',
    session_ticket_keys: 'Keys that several proxies share to resume sessions.',
  },
};

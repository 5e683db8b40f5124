/** `files/ca.pem`, `files/certs/www.pem`: always below the service's own folder. */
const SERVICE_FILE = /^files(?:\/(?!\.{1,2}(?:\/|$))[\w.@%+=:,-]+)+$/;

export function isServiceFile(path: string): boolean {
  return SERVICE_FILE.test(path);
}

/** Whether this text field is the path of a file, folder or socket on the host. */
export function isFileField(owner: string, field: string): boolean {
  return FILE_FIELDS.has(`${owner}.${field}`) || (FILE_FIELD_NAME.test(field) && !NOT_FILES.has(`${owner}.${field}`));
}

const FILE_FIELDS: ReadonlySet<string> = new Set([
  'envoy.config.core.v3.WatchedDirectory.path',
  'envoy.config.core.v3.Pipe.path',
  'envoy.config.core.v3.PathConfigSource.path',
  'envoy.config.core.v3.ConfigSource.path',
  'envoy.config.bootstrap.v3.Admin.access_log_path',
  'envoy.config.bootstrap.v3.Bootstrap.flags_path',
  'envoy.config.tap.v3.FilePerTapSink.path_prefix',
  'envoy.extensions.access_loggers.file.v3.FileAccessLog.path',
  'envoy.extensions.filters.network.mongo_proxy.v3.MongoProxy.access_log',
  'envoy.extensions.filters.network.zookeeper_proxy.v3.ZooKeeperProxy.access_log',
  'envoy.extensions.filters.http.grpc_json_transcoder.v3.GrpcJsonTranscoder.proto_descriptor',
  'envoy.extensions.transport_sockets.tls.v3.TlsKeyLog.path',
  'envoy.extensions.filters.http.file_system_buffer.v3.FileSystemBufferFilterConfig.storage_buffer_path',
  'envoy.config.trace.v3.DynamicOtConfig.library',
  'envoy.extensions.filters.http.file_server.v3.FileServerConfig.PathMapping.file_path_prefix',
  'envoy.extensions.filters.http.grpc_json_reverse_transcoder.v3.GrpcJsonReverseTranscoder.descriptor_path',
  'envoy.extensions.network.socket_interface.sockmap.v3.Sockmap.bpf_program_path',
  'envoy.extensions.network.socket_interface.sockmap.v3.Sockmap.cgroup_path',
]);

/** Also covers fields of future versions by their names. */
const FILE_FIELD_NAME =
  /(?:^|_)(?:filename|filepath|file_path|file|db_path|log_path|token_path|directory|symlink_root|library_path|profile_path|cache_path|socket_path|storage_buffer_path)$/;
const NOT_FILES: ReadonlySet<string> = new Set([
  // Resolved below the folder of the path mapping.
  'envoy.extensions.filters.http.file_server.v3.FileServerConfig.DirectoryBehavior.default_file',
]);

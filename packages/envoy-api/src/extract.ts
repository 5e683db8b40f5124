import { open } from 'node:fs/promises';
import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import { toBinary } from '@bufbuild/protobuf';
import { FileDescriptorSetSchema } from '@bufbuild/protobuf/wkt';
import { createEnvoyApi } from './api.ts';
import { DESCRIPTORS_MAX_BYTES, scanBinary, toRegistry } from './load.ts';

/** The descriptors of a program, for `LoadOptions.descriptors`. */
export interface ExtractedDescriptors {
  /** A FileDescriptorSet, compressed with gzip. */
  readonly bytes: Uint8Array;
  readonly messages: number;
}

/** Messages of every Envoy. A program without them is not an Envoy whose documents can be checked. */
const REQUIRED = [
  'envoy.config.bootstrap.v3.Bootstrap',
  'envoy.config.cluster.v3.Cluster',
  'envoy.config.endpoint.v3.ClusterLoadAssignment',
  'envoy.config.listener.v3.Listener',
  'envoy.config.route.v3.RouteConfiguration',
  'envoy.extensions.filters.network.http_connection_manager.v3.HttpConnectionManager',
  'envoy.extensions.transport_sockets.tls.v3.Secret',
];

const CHUNK_BYTES = 4 << 20;

/**
 * Reads the descriptors of an Envoy of this version from its program, which is not run: it may come from outside and may
 * be for another processor. Returns what is wrong with it as text. Every message is planned once, so that no use of the
 * result fails later. Takes about a second; a file made for the purpose may take much longer and much memory.
 */
export async function extractDescriptors(path: string, version: string): Promise<ExtractedDescriptors | string> {
  const set = await scanBinary(path);
  const registry = toRegistry(set);
  if (!registry) return 'is not an Envoy: it contains no description of its configuration';
  const missing = REQUIRED.find((name) => registry.getMessage(name) === undefined);
  if (missing !== undefined) return `is not a complete Envoy: its configuration has no message ${missing}`;
  if (!(await containsVersion(path, version))) return `is not Envoy ${version}: it does not contain this version`;
  const bytes = toBinary(FileDescriptorSetSchema, set);
  if (bytes.length > DESCRIPTORS_MAX_BYTES)
    return `has ${bytes.length} bytes of descriptors, more than the limit of ${DESCRIPTORS_MAX_BYTES}`;
  const api = createEnvoyApi({ version, source: 'binary', registry });
  const messages = api.messages();
  for (const message of messages) api.describe(message);
  return { bytes: await promisify(gzip)(bytes), messages: messages.length };
}

/** Whether the file contains the version as a text of its own, as every Envoy does for `--version`. */
async function containsVersion(path: string, version: string): Promise<boolean> {
  const wanted = Buffer.from(`\0${version}\0`);
  const file = await open(path, 'r');
  try {
    const chunk = Buffer.allocUnsafe(CHUNK_BYTES + wanted.length);
    for (let position = 0, kept = 0; ; ) {
      const { bytesRead } = await file.read(chunk, kept, CHUNK_BYTES, position);
      if (bytesRead === 0) return false;
      const view = chunk.subarray(0, kept + bytesRead);
      if (view.includes(wanted)) return true;
      position += bytesRead;
      kept = Math.min(wanted.length, view.length);
      view.copy(chunk, 0, view.length - kept);
    }
  } finally {
    await file.close();
  }
}

import { isRecord } from '../engines/engine-spec.ts';
import { type EngineName, readsBodies } from '../engines/index.ts';
import type { Complaint } from '../problem.ts';
import { findResponseWarnings } from './block-warnings.ts';
import { listOf, type WrittenDomain } from './written-policy.ts';

/** Envoy's default limit for body buffering. */
const ENVOY_BUFFER_BYTES = 1024 * 1024;

const INSPECT = 'set inspect_request_body and max_request_body_bytes in spec.defaults';

/** Lists of methods that a field of a body overrides unseen. An engine that requires bodies is an error without them. */
const BODIES_UNSEEN: Partial<Record<EngineName, { readonly field: string; readonly message: string }>> = {
  api_key: {
    field: 'keys',
    message: `name methods, and a field of a body (_method) makes others of them where the upstream takes it: ${INSPECT}`,
  },
  methods: {
    field: 'allow',
    message: `has a method that a field of a body (_method) turns into another one, unseen, where the upstream takes it: ${INSPECT}. Ignore this if no upstream reads methods from bodies`,
  },
};

/** Finds fields of `spec.defaults` that nothing in the document uses, or that Envoy may not support. */
export function findDefaultsWarnings(value: unknown, domains: readonly WrittenDomain[]): Complaint[] {
  const spec = isRecord(value) && isRecord(value.spec) ? value.spec : {};
  if (listOf(spec.domains).length === 0) {
    return [
      { path: ['spec', 'domains'], rule: 'policy.empty', message: 'is empty: the policy protects nothing', at: 'key' },
    ];
  }
  const defaults = isRecord(spec.defaults) ? spec.defaults : {};
  const place = (field: string) => ['spec', 'defaults', field];
  const readers = domains.flatMap(({ domain, routes }) =>
    [domain, ...routes].flatMap(({ blocks }) =>
      blocks.filter(({ engine, value: block }) => readsBodies(engine, block)),
    ),
  );
  const isRead = readers.length > 0;
  const inspects = defaults.inspect_request_body === true;
  const warnings = findResponseWarnings(defaults.block_response, place('block_response'));
  const add = (field: string, rule: string, message: string) =>
    warnings.push({ path: place(field), rule, message, at: 'key' });
  if (defaults.max_request_body_bytes !== undefined && !inspects) {
    add('max_request_body_bytes', 'defaults.cap_ignored', 'is ignored without inspect_request_body: true');
  }
  if (inspects && !isRead) {
    add('inspect_request_body', 'defaults.bodies_unused', 'is for nothing: no engine of this policy reads bodies');
  }
  if (defaults.timeout !== undefined && !isRead) {
    add(
      'timeout',
      'defaults.timeout_ignored',
      'is ignored: it applies to engines that read bodies, and the document uses none',
    );
  }
  if (!inspects) {
    for (const { engine, path } of readers) {
      const unseen = BODIES_UNSEEN[engine];
      if (unseen === undefined) continue;
      const { field, message } = unseen;
      warnings.push({ path: [...path, field], rule: `${engine}.bodies_unseen`, message, at: 'key' });
    }
  }
  const cap = defaults.max_request_body_bytes;
  if (inspects && isRead && typeof cap === 'number' && cap >= ENVOY_BUFFER_BYTES) {
    const message = `is not below the ${ENVOY_BUFFER_BYTES} bytes that Envoy buffers by default: per_connection_buffer_limit_bytes of the listener must be larger`;
    add('max_request_body_bytes', 'defaults.cap_above_buffer', message);
  }
  return warnings;
}

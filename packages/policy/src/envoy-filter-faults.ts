import type { EnvoyJson } from './envoy-filter.ts';

/** Requirements of policies for the Envoy in front of the filter. */
export interface FilterDemands {
  /** The largest body that a policy inspects; 0 if none does. */
  readonly bodyMaxBytes: number;
  /** The longest time that a policy gives its engines. */
  readonly budgetMs: number;
}

/** Default of `message_timeout` (ext_proc.proto). */
const MESSAGE_TIMEOUT_DEFAULT_MS = 200;

/** ProcessingMode in processing_mode.proto, by name and by number. */
const SKIPS_HEADERS: readonly unknown[] = ['SKIP', 2];
const NO_BODY: readonly unknown[] = [undefined, null, 'NONE', 0];
const PARTIAL_BODY: readonly unknown[] = ['BUFFERED_PARTIAL', 3];

/**
 * Finds settings of an ext_proc filter (envoy.extensions.filters.http.ext_proc.v3.ExternalProcessor, proto-JSON with
 * snake_case names) for the shield that keep it from enforcing the policies. Returns sentences for people that say what
 * to set; empty if the filter is as good as the generated one.
 */
export function findFilterFaults(config: EnvoyJson, { bodyMaxBytes, budgetMs }: FilterDemands): string[] {
  const faults: string[] = [];
  const mode = isTree(config.processing_mode) ? config.processing_mode : {};
  if (config.failure_mode_allow === true)
    faults.push('failure_mode_allow: true lets requests pass unseen while the filter does not answer; set it to false');
  if (config.observability_mode === true)
    faults.push('observability_mode: true lets every request pass; set it to false');
  if (config.disable_immediate_response === true)
    faults.push('disable_immediate_response: true makes blocks into errors of Envoy; set it to false');
  if (SKIPS_HEADERS.includes(mode.request_header_mode))
    faults.push('request_header_mode: SKIP hides requests from the filter; set it to SEND');
  if (isTree(config.forward_rules)) faults.push('forward_rules hide headers from the filter; remove them');
  const body = mode.request_body_mode;
  const isPartial = PARTIAL_BODY.includes(body);
  if (!isPartial && !NO_BODY.includes(body))
    faults.push(`request_body_mode: ${String(body)} is not supported by the filter; set it to NONE`);
  if (bodyMaxBytes > 0 && !isPartial) {
    if (config.allow_mode_override !== true)
      faults.push('without allow_mode_override: true the filter gets no bodies, and policies inspect them; set it');
    else if (!mayAskForBodies(config.allowed_override_modes))
      faults.push('allowed_override_modes keep bodies from the filter, and policies inspect them; remove them');
  }
  const timeoutMs = toMs(config.message_timeout) ?? MESSAGE_TIMEOUT_DEFAULT_MS;
  if (timeoutMs > 0 && timeoutMs < budgetMs)
    faults.push(
      `message_timeout of ${timeoutMs} ms is shorter than the policies' timeout of ${budgetMs} ms; set it higher`,
    );
  return faults;
}

/** Envoy accepts an override that equals one in the list, regardless of its request header mode. */
function mayAskForBodies(modes: unknown): boolean {
  if (!Array.isArray(modes) || modes.length === 0) return true;
  return modes.some((mode: unknown) => isTree(mode) && PARTIAL_BODY.includes(mode.request_body_mode));
}

/** Parses google.protobuf.Duration in JSON. */
function toMs(duration: unknown): number | undefined {
  const seconds = typeof duration === 'string' ? /^(\d+(?:\.\d+)?)s$/.exec(duration)?.[1] : undefined;
  return seconds === undefined ? undefined : Number(seconds) * 1000;
}

function isTree(value: unknown): value is EnvoyJson {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

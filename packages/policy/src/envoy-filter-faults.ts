import type { EnvoyJson } from './envoy-filter.ts';

/** What policies need of the Envoy in front of the filter. */
export interface FilterDemands {
  /** The largest body that a policy inspects; 0 where none inspects bodies. */
  readonly bodyMaxBytes: number;
  /** The longest time that a policy gives to its engines. */
  readonly budgetMs: number;
}

/** `message_timeout` where it is not set (ext_proc.proto). */
const MESSAGE_TIMEOUT_DEFAULT_MS = 200;

/** ProcessingMode in processing_mode.proto, by name and by number. */
const SKIPS_HEADERS: readonly unknown[] = ['SKIP', 2];
const NO_BODY: readonly unknown[] = [undefined, null, 'NONE', 0];
const PARTIAL_BODY: readonly unknown[] = ['BUFFERED_PARTIAL', 3];

/**
 * What keeps an ext_proc filter (envoy.extensions.filters.http.ext_proc.v3.ExternalProcessor, proto-JSON with snake_case names)
 * that asks the shield from doing what the policies say. Sentences for people, with what to set; empty when it is as generated
 * or as good.
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
    faults.push(`request_body_mode: ${String(body)} is none that the filter works with; set it to NONE`);
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

/** Envoy takes an override when it equals one of the list, whatever that says of request headers. */
function mayAskForBodies(modes: unknown): boolean {
  if (!Array.isArray(modes) || modes.length === 0) return true;
  return modes.some((mode: unknown) => isTree(mode) && PARTIAL_BODY.includes(mode.request_body_mode));
}

/** google.protobuf.Duration in JSON. */
function toMs(duration: unknown): number | undefined {
  const seconds = typeof duration === 'string' ? /^(\d+(?:\.\d+)?)s$/.exec(duration)?.[1] : undefined;
  return seconds === undefined ? undefined : Number(seconds) * 1000;
}

function isTree(value: unknown): value is EnvoyJson {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

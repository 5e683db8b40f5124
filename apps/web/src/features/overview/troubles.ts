import type { Overview } from '@flotilla/contract';
import type { Tone } from '../../ui/index.ts';
import { texts } from './texts.tsx';

const text = texts.troubles;

/** A problem and the section of the page that lists it. */
export interface Trouble {
  readonly tone: Extract<Tone, 'bad' | 'warn'>;
  readonly text: string;
  /** ID of its section. */
  readonly section: SectionId;
}

export type SectionId = 'services' | 'clients' | 'changes' | 'errors' | 'certificates';

/** Lists the problems, worst first; empty if the configuration is up to date. */
export function listTroubles({
  services,
  clients,
  config_errors: errors,
  certificates,
  pending_changes: pending,
}: Overview): Trouble[] {
  const troubles: Trouble[] = [];
  const add = (
    tone: Trouble['tone'],
    section: SectionId,
    found: number | undefined,
    say: (found: number) => string,
  ) => {
    if (found) troubles.push({ tone, section, text: say(found) });
  };
  add('bad', 'services', services.failed, text.servicesFailed);
  const refused = new Set(
    pending.items.filter(({ state }) => state === 'refused').map((item) => `${item.service_id} ${item.client_id}`),
  );
  add('bad', 'changes', refused.size, text.nodesRefuse);
  const severe = errors.critical + errors.error;
  add('bad', 'errors', severe, text.errorsOpen);
  add('bad', 'certificates', certificates.ended, text.certificatesExpired);
  add('warn', 'services', services.degraded, text.servicesDegraded);
  add('warn', 'services', services.unreachable, text.servicesUnreachable);
  add('warn', 'clients', clients.offline, text.clientsOffline);
  const late = pending.nodes - refused.size;
  add('warn', 'changes', Math.max(0, late), text.nodesBehind);
  add('warn', 'errors', errors.warning, text.warningsOpen);
  add('warn', 'certificates', certificates.ends_soon, text.certificatesExpireSoon);
  return troubles;
}

/** Steps until the first deployment; undefined afterwards. */
export interface FirstSteps {
  readonly hasClient: boolean;
  readonly hasService: boolean;
}

export function findFirstSteps({ services, clients }: Overview): FirstSteps | undefined {
  const isDeployed = services.total > services.not_deployed;
  return isDeployed ? undefined : { hasClient: clients.total > 0, hasService: services.total > 0 };
}

import type { Overview } from '@flotilla/contract';
import { texts } from '../../texts/index.ts';
import type { Tone } from '../../ui/index.ts';

const text = texts.overview.troubles;

/** Something that is not as it should be, and where on the page it is told. */
export interface Trouble {
  readonly tone: Extract<Tone, 'bad' | 'warn'>;
  readonly text: string;
  /** Id of its section. */
  readonly section: SectionId;
}

export type SectionId = 'services' | 'clients' | 'changes' | 'errors' | 'certificates';

/** What is wrong, the worst first; nothing when all is well. */
export function listTroubles({
  services,
  clients,
  config_errors: errors,
  certificates,
  pending_changes: pending,
}: Overview): Trouble[] {
  const troubles: Trouble[] = [];
  const add = (tone: Trouble['tone'], section: SectionId, count: number | undefined, one: string, many: string) => {
    if (count) troubles.push({ tone, section, text: `${count} ${count === 1 ? one : many}` });
  };
  add('bad', 'services', services?.offline, text.serviceOffline, text.servicesOffline);
  const refused = new Set(
    pending?.items.filter(({ state }) => state === 'refused').map((item) => `${item.service_id} ${item.client_id}`),
  );
  add('bad', 'changes', refused.size, text.nodeRefuses, text.nodesRefuse);
  const severe = (errors?.critical ?? 0) + (errors?.error ?? 0);
  add('bad', 'errors', severe, text.errorOpen, text.errorsOpen);
  add('bad', 'certificates', certificates.ended, text.certificateEnded, text.certificatesEnded);
  add('warn', 'services', services?.partial, text.servicePartial, text.servicesPartial);
  add('warn', 'clients', clients?.offline, text.clientOffline, text.clientsOffline);
  const late = (pending?.nodes ?? 0) - refused.size;
  add('warn', 'changes', Math.max(0, late), text.nodeBehind, text.nodesBehind);
  add('warn', 'errors', errors?.warning, text.warningOpen, text.warningsOpen);
  add('warn', 'certificates', certificates.ends_soon, text.certificateEndsSoon, text.certificatesEndSoon);
  return troubles;
}

/** Nothing is deployed yet: these are the steps until something is. Undefined for those who may not see, and later. */
export interface FirstSteps {
  readonly hasClient: boolean;
  readonly hasService: boolean;
}

export function findFirstSteps({ services, clients }: Overview): FirstSteps | undefined {
  if (!services || !clients) return undefined;
  const isDeployed = services.total > services.not_deployed;
  return isDeployed ? undefined : { hasClient: clients.total > 0, hasService: services.total > 0 };
}

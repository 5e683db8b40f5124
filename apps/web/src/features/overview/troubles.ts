import type { Overview } from '@flotilla/contract';
import type { Tone } from '../../ui/index.ts';

/** Something that is not as it should be, and where on the page it is told. */
export interface Trouble {
  readonly tone: Extract<Tone, 'bad' | 'warn'>;
  readonly text: string;
  /** Id of its section. */
  readonly section: SectionId;
}

export type SectionId = 'services' | 'clients' | 'changes' | 'errors';

/** What is wrong, the worst first; nothing when all is well. */
export function listTroubles({
  services,
  clients,
  config_errors: errors,
  pending_changes: pending,
}: Overview): Trouble[] {
  const troubles: Trouble[] = [];
  const add = (tone: Trouble['tone'], section: SectionId, count: number | undefined, one: string, many: string) => {
    if (count) troubles.push({ tone, section, text: `${count} ${count === 1 ? one : many}` });
  };
  add('bad', 'services', services?.offline, 'service is offline', 'services are offline');
  const refused = new Set(
    pending?.items.filter(({ state }) => state === 'refused').map((item) => `${item.service_id} ${item.client_id}`),
  );
  add('bad', 'changes', refused.size, 'node refuses a change', 'nodes refuse a change');
  const severe = (errors?.critical ?? 0) + (errors?.error ?? 0);
  add('bad', 'errors', severe, 'configuration error is open', 'configuration errors are open');
  add('warn', 'services', services?.partial, 'service is partly live', 'services are partly live');
  add('warn', 'clients', clients?.offline, 'client is offline', 'clients are offline');
  const late = (pending?.nodes ?? 0) - refused.size;
  add('warn', 'changes', Math.max(0, late), 'node is behind', 'nodes are behind');
  add('warn', 'errors', errors?.warning, 'configuration warning is open', 'configuration warnings are open');
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

import { type CommandName, mayCommand, type Role, type SearchItem } from '@flotilla/contract';
import { OPERATIONS } from '../../features/services/operations/operations.ts';
import { texts } from '../texts.tsx';
import type { Entry } from './entries.ts';

const wording = texts.entries;

/** An action on a service: an operation, whose dialog explains it first, or a tab of its page. */
interface Act {
  readonly label: string;
  readonly words: readonly string[];
  readonly search: Readonly<Record<string, string>>;
  /** Command that the operation sends. */
  readonly command?: CommandName;
}

const ACTS: readonly Act[] = [
  ...OPERATIONS.map(({ id, label, command }) => ({
    label,
    words: [...label.toLowerCase().split(/\W+/), ...(wording.operationFinds[id] ?? [])],
    search: { do: id },
    command,
  })),
  ...Object.entries(wording.serviceTabs).map(([tab, [label, ...words]]) => ({
    label,
    words,
    search: { tab },
  })),
];

const TYPED_MIN = 3;
const ENTRIES_MAX = 12;

export interface Meant {
  readonly acts: readonly Act[];
  /** The rest of the input: part of a service's name. */
  readonly name: string;
}

/** Parses `restart shop` or `shop rest` into action and service. undefined without an action. */
export function readAct(text: string, role: Role | undefined): Meant | undefined {
  const words = text.toLowerCase().split(/\s+/).filter(Boolean);
  for (const word of words) {
    if (word.length < TYPED_MIN) continue;
    const acts = ACTS.filter((act) => isAllowed(act, role) && act.words.some((one) => one.startsWith(word)));
    if (acts.length > 0) return { acts, name: words.filter((one) => one !== word).join(' ') };
  }
  return undefined;
}

function isAllowed({ command }: Act, role: Role | undefined): boolean {
  return command === undefined || (role !== undefined && mayCommand(role, command));
}

export function toOperationEntries({ acts, name }: Meant, found: readonly SearchItem[], project: string): Entry[] {
  const services = found.filter((item) => item.kind === 'service' && item.name.toLowerCase().includes(name));
  return acts
    .flatMap((act) =>
      services.map(
        (service): Entry => ({
          id: `${act.label} ${service.id}`,
          label: wording.onService(act.label, service.name),
          group: 'actions',
          to: '/p/$project/services/$serviceId',
          params: { project, serviceId: service.id },
          search: act.search,
        }),
      ),
    )
    .slice(0, ENTRIES_MAX);
}

import { texts } from '../../texts/index.ts';
import { type Filter, formatExact } from '../../ui/index.ts';
import { actionWords } from './entry-words.ts';

const text = texts.audit.auditFilters;
const { noun } = texts.auditActions;

interface Known {
  readonly actions: readonly string[];
  readonly users: readonly string[];
  readonly types: readonly string[];
}

interface Chosen {
  readonly action: readonly string[];
  readonly user: readonly string[];
  readonly resource_type: readonly string[];
  readonly from: string | undefined;
  readonly to: string | undefined;
}

/** All filters of the log. Their options are the values in the time range, and those already selected. */
export function toFilters(known: Known, chosen: Chosen): readonly Filter[] {
  return [
    {
      name: 'outcome',
      label: text.outcome,
      options: [
        { value: 'done', label: text.done },
        { value: 'denied', label: text.denied },
        { value: 'failed', label: text.failed },
      ],
    },
    { name: 'user', label: text.who, options: toOptions(known.users, chosen.user) },
    { name: 'action', label: text.action, options: toOptions(known.actions, chosen.action, actionWords) },
    {
      name: 'resource_type',
      label: text.resourceType,
      options: toOptions(known.types, chosen.resource_type, noun),
    },
    { name: 'resource_id', label: text.resourceId },
    ...toTimeFilter('from', text.from, chosen.from),
    ...toTimeFilter('to', text.before, chosen.to),
  ];
}

function toOptions(known: readonly string[], chosen: readonly string[], toLabel = (value: string) => value) {
  return [...new Set([...chosen, ...known])].map((value) => ({ value, label: toLabel(value) }));
}

/** A custom range is set elsewhere; here it can be seen and removed. */
function toTimeFilter(name: string, label: string, at: string | undefined): readonly Filter[] {
  return at === undefined ? [] : [{ name, label, options: [{ value: at, label: formatExact(at) }] }];
}

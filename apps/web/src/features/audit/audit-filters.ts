import { auditActions } from '../../changes/action-texts.ts';
import { type Filter, formatExact } from '../../ui/index.ts';
import { actionWords } from './entry-words.ts';
import { texts } from './texts.tsx';

const text = texts.auditFilters;
const { noun } = auditActions;

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

/** Returns all filters of the log. Their options are the values in the time range and the selected ones. */
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

/** Shows a custom range as a filter that can only be removed. */
function toTimeFilter(name: string, label: string, at: string | undefined): readonly Filter[] {
  return at === undefined ? [] : [{ name, label, options: [{ value: at, label: formatExact(at) }] }];
}

import type { TrafficEventList } from '@flotilla/contract';
import type { TableState } from '../../../ui/index.ts';
import { FACET_NAMES, FACETS, type Facet, facetLabel, shortFacetLabel } from './event-filters.ts';
import classes from './events.module.css';
import { texts } from './texts.tsx';

const text = texts.facets;
const SHOWN = 3;
/** Errors are rare beside other answers, and are what people look for. */
const STATUSES_SHOWN = 5;

interface FacetStripProps {
  readonly facets: NonNullable<TrafficEventList['facets']>;
  readonly state: TableState;
  /** Groups that one endpoint has only one value of. */
  readonly isOfOperation: boolean;
}

const OF_MANY: readonly Facet[] = ['method', 'operation', 'host'];

/** The largest groups of all matching requests. Each toggles a filter of the list. */
export function FacetStrip({ facets, state, isOfOperation }: FacetStripProps) {
  const shown = FACET_NAMES.filter((name) => !(isOfOperation && OF_MANY.includes(name)));
  return (
    <section className={classes.strip} aria-label={text.title}>
      {shown.map((name) => (
        <FacetGroup key={name} name={name} groups={facets[name] ?? []} state={state} />
      ))}
    </section>
  );
}

interface FacetGroupProps {
  readonly name: Facet;
  readonly groups: NonNullable<NonNullable<TrafficEventList['facets']>[Facet]>;
  readonly state: TableState;
}

function FacetGroup({ name, groups, state }: FacetGroupProps) {
  const filter = FACETS[name];
  const chosen = state.filters[filter] ?? [];
  return (
    <div className={classes.group}>
      <div className={classes.groupTitle}>{text.names[name]}</div>
      {groups.length === 0 && <span className={classes.dimmed}>{text.none}</span>}
      {groups.slice(0, name === 'status_class' ? STATUSES_SHOWN : SHOWN).map((group) => {
        const { value, requests } = group;
        const label = facetLabel(name, group);
        const isOn = chosen.includes(value);
        const toggle = () => state.setFilter(filter, isOn ? chosen.filter((one) => one !== value) : [...chosen, value]);
        const number = Math.round(requests).toLocaleString('en');
        // The URL cannot say that a filter has the empty value.
        if (value === '')
          return (
            <span key={value} className={classes.count}>
              <span className={classes.countName}>{label}</span>
              <span className={classes.number}>{number}</span>
            </span>
          );
        return (
          <button key={value} type="button" className={classes.count} aria-pressed={isOn} onClick={toggle}>
            <span className={classes.countName}>
              <bdi title={label}>{shortFacetLabel(name, group)}</bdi>
            </span>
            <span className={classes.number}>{number}</span>
          </button>
        );
      })}
    </div>
  );
}

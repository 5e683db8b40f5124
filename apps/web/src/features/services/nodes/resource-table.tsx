import { DocumentLink } from '../../../app/links.tsx';
import { State, toWord } from '../../../ui/index.ts';
import { compareTypes, toKind } from '../resource-kind.ts';
import classes from '../service.module.css';
import type { NodeResource } from '../types.ts';
import { texts } from './texts.tsx';

const text = texts.resourceTable;

const WHY: Readonly<Record<NodeResource['state'], string>> = {
  waiting: text.why.waiting,
  sent: text.why.sent,
  acknowledged: text.why.acknowledged,
  warmed: text.why.warmed,
  refused: text.why.refused,
  held: text.why.held,
  unspecified: text.why.unspecified,
};
const ORDER: readonly NodeResource['state'][] = [
  'refused',
  'held',
  'waiting',
  'sent',
  'acknowledged',
  'unspecified',
  'warmed',
];

interface ResourceTableProps {
  readonly resources: readonly NodeResource[];
  /** Proxy version of the service's documents. */
  readonly version: string;
  /** Keys `collection/name` of existing documents. */
  readonly known: ReadonlySet<string>;
  readonly label: string;
}

/** Lists resources of one Envoy, problems first. */
export function ResourceTable({ resources, version, known, label }: ResourceTableProps) {
  const sorted = resources.toSorted(
    (a, b) =>
      ORDER.indexOf(a.state) - ORDER.indexOf(b.state) || compareTypes(a.type, b.type) || a.name.localeCompare(b.name),
  );
  return (
    <div className={`${classes.panel} ${classes.scroll}`}>
      <table className={classes.table} aria-label={label}>
        <thead>
          <tr>
            <th>{text.table.state}</th>
            <th>{text.table.name}</th>
            <th>{text.table.type}</th>
            <th>{text.table.wanted}</th>
            <th>{text.table.live}</th>
          </tr>
        </thead>
        <tbody>
          {sorted.map((one) => (
            <tr key={`${one.type} ${one.name}`}>
              <td className={one.reason ? classes.wide : classes.nowrap}>
                <State word={toWord(one.state)} why={WHY[one.state]} />
                {one.reason && <p className={classes.words}>{one.reason}</p>}
              </td>
              <td className={classes.wide}>
                <ResourceName resource={one} version={version} known={known} />
              </td>
              <td className={classes.nowrap} title={one.type}>
                {toKind(one.type).label}
              </td>
              <td className="mono">{one.version.slice(0, 8)}</td>
              <td className="mono">
                {one.live_version === one.version ? 'same' : (one.live_version?.slice(0, 8) ?? 'none')}
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

interface ResourceNameProps {
  readonly resource: Pick<NodeResource, 'type' | 'name'>;
  readonly version: string;
  readonly known: ReadonlySet<string>;
}

/** Links to the document that describes the resource, if there is one. */
export function ResourceName({ resource, version, known }: ResourceNameProps) {
  const { collection } = toKind(resource.type);
  const found = [collection, 'filters'].find((one) => known.has(`${one}/${resource.name}`));
  if (found) return <DocumentLink collection={found} name={resource.name} version={version} />;
  return (
    <bdi
      className="mono"
      title={resource.name.startsWith('flotilla_') ? text.resourceName.madeByController : undefined}
    >
      {resource.name}
    </bdi>
  );
}

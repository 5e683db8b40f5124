import { State } from '../../../ui/index.ts';
import { toNoun } from '../resource-kind.ts';
import classes from '../service.module.css';
import type { GraphModel } from './graph-model.ts';
import { GraphName } from './graph-name.tsx';
import { texts } from './texts.ts';

const text = texts.graphList;

interface GraphListProps {
  readonly graph: GraphModel;
  readonly version: string;
  /** Current traffic in words, by `collection/name`. */
  readonly traffic: ReadonlyMap<string, string>;
}

/** Shows the graph as a table: kind, name, state, traffic, references in both directions. */
export function GraphList({ graph, version, traffic }: GraphListProps) {
  const byId = new Map(graph.nodes.map((node) => [node.id, node]));
  const names = (ids: readonly string[]) =>
    ids.map((id, index) => (
      <span key={id}>
        {index > 0 && ', '}
        <bdi className="mono">{byId.get(id)?.name ?? id}</bdi>
      </span>
    ));
  return (
    <div className={`${classes.panel} ${classes.scroll}`}>
      <table className={classes.table} aria-label={text.title}>
        <thead>
          <tr>
            <th>{text.kind}</th>
            <th>{text.name}</th>
            <th>{text.state}</th>
            <th>{text.traffic}</th>
            <th>{text.uses}</th>
            <th>{text.usedBy}</th>
          </tr>
        </thead>
        <tbody>
          {graph.nodes.map((node) => (
            <tr key={node.id}>
              <td className={classes.nowrap}>{toNoun(node.collection)}</td>
              <td className={classes.wide}>
                <GraphName node={node} version={version} />
                {node.isStatic && <div className={classes.side}>{text.givenByBootstrap}</div>}
              </td>
              <td className={classes.nowrap}>{node.state && <State {...node.state} />}</td>
              <td className={classes.nowrap}>{traffic.get(node.id)}</td>
              <td className={classes.wide}>
                {names(graph.edges.filter(({ from }) => from === node.id).map(({ to }) => to))}
              </td>
              <td className={classes.wide}>
                {names(graph.edges.filter(({ to }) => to === node.id).map(({ from }) => from))}
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

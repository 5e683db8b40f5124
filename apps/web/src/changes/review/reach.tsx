import { useClientNames } from '../../app/use-client-names.ts';
import type { Reach } from '../plan.ts';
import { texts } from '../texts.tsx';
import { nameNodes } from './name-nodes.ts';

const text = texts.review.reach;

const NAMED_MAX = 8;
const LISTED_MAX = 100;

/** Shows what a change affects: services and nodes. */
export function Reached({ reach: { nodes, services = [] } }: { readonly reach: Reach }) {
  const nameOf = useClientNames();
  if (nodes.length === 0) return <div>{text.noNodes}</div>;
  const names = nameNodes(nodes, nameOf);
  return (
    <div style={{ overflowWrap: 'anywhere' }}>
      {text.nodes(
        <strong>{nodes.length}</strong>,
        nodes.length,
        services.length > 0 && text.ofServices(<bdi>{services.map(({ name }) => name).join(', ')}</bdi>),
      )}{' '}
      {names.length <= NAMED_MAX ? (
        <bdi>{names.join(', ')}</bdi>
      ) : (
        <details>
          <summary>{text.summary}</summary>
          <ul style={{ margin: 0, paddingInlineStart: 18 }}>
            {names.slice(0, LISTED_MAX).map((name, index) => (
              <li key={nodes[index]}>
                <bdi>{name}</bdi>
              </li>
            ))}
            {names.length > LISTED_MAX && <li>{text.andMore(names.length - LISTED_MAX)}</li>}
          </ul>
        </details>
      )}
    </div>
  );
}

import { Link } from '@tanstack/react-router';
import { Fragment } from 'react';
import { routes, useApi } from '../../api/index.ts';
import { useProject } from '../../app/project.tsx';
import { withoutRoot } from '../../changes/index.ts';
import { Loaded, Notice, Section, State } from '../../ui/index.ts';
import { COLLECTION_NOUNS } from './collections.ts';
import classes from './dependency-tab.module.css';
import { findNeighbours, type Neighbour } from './neighbours.ts';
import type { StoredDocument } from './rows.ts';
import { texts } from './texts.tsx';

const text = texts.dependencyTab;

/** Lists the documents that this one uses, and the documents that a change would affect. */
export function DependencyTab({ document: { collection, name, version } }: { document: StoredDocument }) {
  const project = useProject();
  const graph = useApi(
    routes.document.dependency,
    { params: { name }, query: { project: project.id, version, collection } },
    { topics: ['document', 'service'] },
  );
  return (
    <Loaded query={graph} what={text.tab.what}>
      {({ body }) => {
        const { uses, usedBy } = findNeighbours(body, { collection, name });
        return (
          <div className={classes.tab}>
            {body.truncated && <Notice tone="warn" title={text.tab.truncated(body.edges.length)} />}
            <div className={classes.columns}>
              <Section title={text.tab.usedBy}>
                <Neighbours neighbours={usedBy} version={version} empty={text.tab.usedByNone} />
              </Section>
              <Section title={text.tab.uses}>
                <Neighbours neighbours={uses} version={version} empty={text.tab.usesNone} />
              </Section>
            </div>
          </div>
        );
      }}
    </Loaded>
  );
}

interface NeighboursProps {
  readonly neighbours: readonly Neighbour[];
  readonly version: string;
  readonly empty: string;
}

function Neighbours({ neighbours, version, empty }: NeighboursProps) {
  if (neighbours.length === 0) return <p style={{ margin: 0, color: 'var(--mantine-color-dimmed)' }}>{empty}</p>;
  return (
    <ul className={classes.list}>
      {neighbours.map((neighbour) => (
        <li key={neighbour.id} className={classes.item}>
          <span className={classes.kind}>{COLLECTION_NOUNS[neighbour.collection] ?? neighbour.collection}</span>
          <span>
            <NeighbourLink neighbour={neighbour} version={version} />
            {neighbour.missing && <State word={text.neighbours.missing} tone="bad" shape="triangle" />}
            {neighbour.paths.map((path) => (
              <FieldPath key={path} path={withoutRoot(path, 'resource')} />
            ))}
          </span>
        </li>
      ))}
    </ul>
  );
}

/** Shows a path that wraps between its steps, not inside one. */
function FieldPath({ path }: { path: string }) {
  return (
    <div className={`mono ${classes.path}`}>
      {path.split(/(?<=[.\]])/).map((step, index) => (
        // The steps of a path never change their order.
        // biome-ignore lint/suspicious/noArrayIndexKey: see above
        <Fragment key={index}>
          {step}
          <wbr />
        </Fragment>
      ))}
    </div>
  );
}

function NeighbourLink({
  neighbour: { collection, name, missing },
  version,
}: {
  neighbour: Neighbour;
  version: string;
}) {
  const project = useProject().name;
  if (missing) return <bdi className="mono">{name}</bdi>;
  switch (collection) {
    case 'services':
      return (
        <Link to="/p/$project/services" params={{ project }} search={{ name }}>
          <bdi>{name}</bdi>
        </Link>
      );
    case 'policies':
      return (
        <Link to="/p/$project/policies/$name" params={{ project, name }}>
          <bdi>{name}</bdi>
        </Link>
      );
    default:
      return (
        <Link
          to="/p/$project/resources/$collection/$version/$name"
          params={{ project, collection, version, name }}
          className="mono"
        >
          <bdi>{name}</bdi>
        </Link>
      );
  }
}

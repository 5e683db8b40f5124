import { SegmentedControl, Skeleton } from '@mantine/core';
import { useMediaQuery } from '@mantine/hooks';
import { lazy, Suspense, useMemo } from 'react';
import { useUrlState } from '../../../app/url-state.ts';
import { Loaded, Notice } from '../../../ui/index.ts';
import { useTrafficLabels } from '../../traffic/index.ts';
import classes from '../service.module.css';
import type { DependencyGraph, ServiceDetail } from '../types.ts';
import { useDependencies } from '../use-service.ts';
import { GraphList } from './graph-list.tsx';
import { toGraph } from './graph-model.ts';
import { texts } from './texts.ts';

const text = texts.graphTab;

const GraphCanvas = lazy(async () => ({ default: (await import('./graph-canvas.tsx')).GraphCanvas }));

/** Shows everything that the service uses, directly or indirectly, as a picture or a list (`?view=`). */
export function GraphTab({ detail }: { detail: ServiceDetail }) {
  const url = useUrlState();
  const query = useDependencies(detail.service);
  const isNarrow = useMediaQuery('(max-width: 640px)', undefined, { getInitialValueInEffect: false });
  // On a phone the picture is too small to read.
  const first = isNarrow ? 'list' : 'picture';
  const asked = url.get('view');
  const view = asked === 'list' || asked === 'picture' ? asked : first;
  return (
    <div className={`${classes.stack} ${classes.tight}`}>
      <div className={classes.bar}>
        <SegmentedControl
          size="xs"
          aria-label={text.view}
          value={view}
          onChange={(value) => url.set({ view: value === first ? undefined : value })}
          data={[
            { value: 'picture', label: text.picture },
            { value: 'list', label: text.list },
          ]}
        />
        <span className={classes.side}>{text.note}</span>
      </div>
      <Loaded query={query} what={text.what} skeleton={<Skeleton height={320} />}>
        {({ body }) => (
          <>
            {body.truncated && <Notice tone="warn" title={text.truncated(body.edges.length)} />}
            <GraphView graph={body} detail={detail} view={view} />
          </>
        )}
      </Loaded>
    </div>
  );
}

interface GraphViewProps {
  readonly graph: DependencyGraph;
  readonly detail: ServiceDetail;
  readonly view: 'picture' | 'list';
}

function GraphView({ graph, detail, view }: GraphViewProps) {
  const model = useMemo(() => toGraph(graph, detail), [graph, detail]);
  const { version, id } = detail.service;
  const traffic = useTrafficLabels(id);
  if (view === 'list') return <GraphList graph={model} version={version} traffic={traffic} />;
  return (
    <Suspense fallback={<Skeleton height={320} aria-busy="true" />}>
      <GraphCanvas graph={model} version={version} traffic={traffic} />
    </Suspense>
  );
}

import { useComputedColorScheme } from '@mantine/core';
import { useMediaQuery } from '@mantine/hooks';
import { Controls, type Edge, Handle, MarkerType, type Node, type NodeProps, Position, ReactFlow } from '@xyflow/react';
import '@xyflow/react/dist/base.css';
import { useMemo } from 'react';
import { State } from '../../../ui/index.ts';
import { toNoun } from '../resource-kind.ts';
import classes from './graph.module.css';
import type { GraphModel, GraphNode } from './graph-model.ts';
import { GraphName } from './graph-name.tsx';
import { BOX_HEIGHT_PX, BOX_WIDTH_PX, placeGraph } from './layout.ts';
import { texts } from './texts.ts';

const text = texts.graphCanvas;

type BoxNode = Node<{ node: GraphNode; version: string; isDown: boolean }, 'box'>;

/** Minimum zoom at which the graph opens. A larger graph is cropped: it can be moved, zoomed and fitted. */
const READABLE_ZOOM = 0.7;
const NODE_TYPES = { box: Box };
const LABEL_LOOK = {
  labelStyle: { fill: 'var(--mantine-color-text)', fontSize: 11, fontVariantNumeric: 'tabular-nums' },
  labelBgStyle: { fill: 'var(--f-surface)' },
  labelBgPadding: [4, 2] as [number, number],
};

interface GraphCanvasProps {
  readonly graph: GraphModel;
  readonly version: string;
  /** Current traffic in words, by `collection/name`. */
  readonly traffic: ReadonlyMap<string, string>;
}

/** Shows the graph as a picture. Its boxes are links; the list has the same content. */
export function GraphCanvas({ graph, version, traffic }: GraphCanvasProps) {
  const scheme = useComputedColorScheme('light');
  const isNarrow = useMediaQuery('(max-width: 640px)', undefined, { getInitialValueInEffect: false }) ?? false;
  const { nodes, edges } = useMemo(
    () => toFlow(graph, { version, isDown: isNarrow, traffic }),
    [graph, version, isNarrow, traffic],
  );
  return (
    <div className={classes.canvas}>
      <ReactFlow
        key={isNarrow ? 'down' : 'right'}
        nodes={nodes}
        edges={edges}
        nodeTypes={NODE_TYPES}
        colorMode={scheme}
        fitView
        fitViewOptions={{ minZoom: READABLE_ZOOM, maxZoom: 1, padding: 0.08 }}
        minZoom={0.1}
        maxZoom={2}
        nodesDraggable={false}
        nodesConnectable={false}
        nodesFocusable={false}
        edgesFocusable={false}
        elementsSelectable={false}
        zoomOnScroll={false}
        preventScrolling={false}
        ariaLabelConfig={{
          'controls.zoomIn.ariaLabel': text.controlsZoomInAriaLabel,
          'controls.zoomOut.ariaLabel': text.controlsZoomOutAriaLabel,
          'controls.fitView.ariaLabel': text.controlsFitViewAriaLabel,
        }}
      >
        <Controls showInteractive={false} position="top-right" fitViewOptions={{ maxZoom: 1, padding: 0.08 }} />
      </ReactFlow>
    </div>
  );
}

interface FlowOptions extends Omit<GraphCanvasProps, 'graph'> {
  readonly isDown: boolean;
}

function toFlow(graph: GraphModel, { version, isDown, traffic }: FlowOptions) {
  const byId = new Map(graph.nodes.map((node) => [node.id, node]));
  const nodes = placeGraph(graph, isDown ? 'TB' : 'LR').flatMap(({ id, x, y }): BoxNode[] => {
    const node = byId.get(id);
    if (!node) return [];
    return [
      {
        id,
        type: 'box',
        position: { x, y },
        width: BOX_WIDTH_PX,
        height: BOX_HEIGHT_PX,
        data: { node, version, isDown },
      },
    ];
  });
  const edges = graph.edges.map(
    ({ from, to }): Edge => ({
      id: `${from} ${to}`,
      source: from,
      target: to,
      markerEnd: { type: MarkerType.ArrowClosed, width: 14, height: 14, color: 'var(--f-line-strong)' },
      ...(traffic.has(to) && LABEL_LOOK),
      ...(traffic.has(to) && { label: traffic.get(to) }),
      ...(byId.get(to)?.isMissing && { className: classes.missingEdge ?? '' }),
    }),
  );
  return { nodes, edges };
}

function Box({ data: { node, version, isDown } }: NodeProps<BoxNode>) {
  return (
    <div
      className={`${classes.box} ${node.isMissing ? classes.missing : ''} ${node.collection === 'services' ? classes.root : ''}`}
      data-tone={node.state?.tone}
    >
      <Handle type="target" position={isDown ? Position.Top : Position.Left} className={classes.handle ?? ''} />
      <div className={classes.boxHead}>
        <span>{toNoun(node.collection)}</span>
        {node.state && <State {...node.state} />}
      </div>
      <div className={classes.boxName} title={node.name}>
        <GraphName node={node} version={version} />
      </div>
      <Handle type="source" position={isDown ? Position.Bottom : Position.Right} className={classes.handle ?? ''} />
    </div>
  );
}

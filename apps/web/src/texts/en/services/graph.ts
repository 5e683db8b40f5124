export const graph = {
  graphCanvas: {
    controlsZoomInAriaLabel: 'Zoom in',
    controlsZoomOutAriaLabel: 'Zoom out',
    controlsFitViewAriaLabel: 'Fit the view',
  },
  graphList: {
    title: 'Resources of the service',
    kind: 'Kind',
    name: 'Name',
    state: 'State',
    uses: 'Uses',
    usedBy: 'Used by',
    givenByBootstrap: 'from the bootstrap',
  },
  graphTab: {
    view: 'View',
    picture: 'Graph',
    list: 'List',
    what: 'The graph',
    note: 'Shows what Envoy has applied, not whether upstreams respond.',
    truncated: (edges: number) => `Only the first ${edges} references are shown`,
  },
  liveState: {
    states: {
      refused: 'Refused',
      held: 'Held',
      failed: 'Not generated',
      blocked: 'Blocked',
      rollingOut: 'Rolling out',
      applied: 'Applied',
    },
    whyBlocked: 'The resource that uses it was not generated or was refused, so Envoy does not request it',
    missing: {
      missing: 'Missing',
    },
    notReported: {
      notInUse: 'Not in use',
    },
  },
};

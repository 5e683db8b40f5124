export const texts = {
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
    traffic: 'Traffic',
    uses: 'Uses',
    usedBy: 'Used by',
    givenByBootstrap: 'from the bootstrap',
  },
  graphTab: {
    view: 'View',
    picture: 'Graph',
    list: 'List',
    what: 'The graph',
    note: 'States show what Envoy has applied. Lines show requests per second, error share and p95 of the last minute.',
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

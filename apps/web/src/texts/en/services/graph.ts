export const graph = {
  graphCanvas: {
    controlsZoomInAriaLabel: 'Zoom in',
    controlsZoomOutAriaLabel: 'Zoom out',
    controlsFitViewAriaLabel: 'Fit the view',
  },
  graphList: {
    title: 'What the service uses',
    kind: 'Kind',
    name: 'Name',
    state: 'State',
    uses: 'Uses',
    usedBy: 'Used by',
    givenByBootstrap: 'given by the bootstrap',
  },
  graphTab: {
    view: 'View',
    picture: 'Graph',
    list: 'List',
    what: 'The graph',
    truncated: (edges: number) => `There are more references than the ${edges} shown`,
  },
  liveState: {
    states: {
      refused: 'Refused',
      held: 'Held',
      rollingOut: 'Rolling out',
      live: 'Live',
    },
    missing: {
      missing: 'Missing',
    },
    notReported: {
      notInUse: 'Not in use',
    },
  },
};

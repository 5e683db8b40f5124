export const graph = {
  graphCanvas: {
    controlsZoomInAriaLabel: 'Zoom in',
    controlsZoomOutAriaLabel: 'Zoom out',
    controlsFitViewAriaLabel: 'Fit the view',
  },
  graphList: {
    ariaLabel: 'What the service uses',
    head: 'Kind',
    headName: 'Name',
    headState: 'State',
    headUses: 'Uses',
    headUsed: 'Used by',
    text: 'given by the bootstrap',
  },
  graphTab: {
    ariaLabel: 'View',
    labelPicture: 'Graph',
    labelList: 'List',
    what: 'The graph',
  },
  liveState: {
    states: {
      word: 'Refused',
      wordHeld: 'Held',
      wordRollingOut: 'Rolling out',
      wordLive: 'Live',
    },
    missing: {
      word: 'Missing',
    },
    notReported: {
      word: 'Not in use',
    },
  },
};

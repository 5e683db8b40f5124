import type { ReactNode } from 'react';

export const editing = {
  bootstrapField: {
    done: (name: string | number, version: string | number) => `Bootstrap ${name} is stored for Envoy ${version}.`,
    failed: 'The bootstrap was not created',
    label: 'Bootstrap',
    hint: 'What Envoy starts with. An empty one does for most: the controller adds what it needs itself.',
    chooseVersionFirst: 'Choose the proxy version first',
    chooseOne: 'Choose one',
    notForVersion: (value: string | number, version: string | number) => `There is no ${value} for Envoy ${version}.`,
    noneForVersion: 'There is none for this version',
    createDefault: 'Create a default bootstrap',
  },
  clientsField: {
    label: 'Clients',
    listedHint:
      'They are listed, and run nothing until the service is deployed to them. Addresses are where people reach the service there; they are optional.',
    listed: 'Listed clients',
    deployed: 'Deployed',
    addressesOn: (clientName: string | number) => `Addresses on ${clientName}`,
    addresses: 'IP addresses, optional',
    addressesOnly: 'IP addresses only',
    runsThere: 'It runs there: undeploy it first',
    takeOut: 'Take it out',
    takeOutClient: (clientName: string | number) => `Take out ${clientName}`,
    add: 'Add clients',
    addMore: 'Add more clients',
  },
  conflictPanel: {
    savedMeanwhile: (by: ReactNode, revision: ReactNode, time: ReactNode) => (
      <>
        {by} saved revision {revision} {time}, while you were editing
      </>
    ),
    nothingLost: (bothChanged: ReactNode) => (
      <>Nothing of yours is lost, and nothing of theirs was overwritten.{bothChanged}</>
    ),
    bothChanged: (names: string | number) => ` Both of you changed ${names}: on top, yours would hold there.`,
    theirs: 'What they changed',
    yours: 'What you changed',
    applyOnTop: 'Put my changes on top of theirs',
    dropMine: 'Drop mine and take theirs',
  },
  draft: {
    checkDraft: {
      version: 'Choose the proxy version.',
      bootstrap: 'Choose a bootstrap, or create one.',
    },
    checkName: {
      missing: 'Give it a name.',
      tooLong: (max: string | number) => `At most ${max} characters.`,
      rule: 'Letters, digits, dot, dash and underscore; starts and ends with a letter or digit.',
    },
    checkAddresses: {
      clients: (wrong: string | number) => `${wrong} is not an IP address.`,
    },
  },
  namesField: {
    chooseOrSearch: 'Choose, or type to search',
    noneFits: 'No other name fits',
    clear: (label: string | number) => `Clear ${label}`,
  },
  review: {
    warnings: 'Before you save',
    changes: 'What would change',
    created: 'What would be created',
    nothingRunsYet: 'Nothing runs yet',
    nothingRunsYetText:
      'Saving stores the service and reserves an admin port on each listed client. It runs when you deploy it, which is offered next.',
    failed: 'It was not saved',
    unknownOutcome: 'It is not known whether it was saved',
    save: 'Save',
    create: 'Create',
    back: 'Back to the form',
  },
  serviceEditor: {
    form: 'Service',
    restored: 'This is what you typed before',
    restoredText: (button: ReactNode) => <>It was kept in this tab. {button}</>,
    discardRestored: 'Discard it',
    savedMeanwhile: (revision: string | number) => `Revision ${revision} was saved while you were editing`,
    look: 'Look at it',
    bothChanged: 'Both of you changed the same',
    yoursStands: (names: ReactNode) => <>Yours stands in {names}. Review before you save.</>,
    invalid: 'It cannot be saved like this',
    notChecked: 'It could not be checked',
    typedIsKept: 'What you typed is kept.',
    review: 'Review',
    discard: 'Discard',
    keptInTab: 'Kept in this tab, also when the page is loaded anew.',
    nothingStoredYet: 'Nothing is stored before you confirm.',
  },
  serviceForm: {
    listenersHint: 'Where it accepts connections. Routes and clusters follow from them.',
    versionOption: (version: string | number, documents: string | number) => `${version} (${documents} documents here)`,
    name: 'Name',
    nameHintDeployed: 'It is deployed: it can be renamed only after it is undeployed everywhere.',
    nameHint: "Part of every node's id; what people see and type.",
    proxyVersion: 'Proxy version',
    proxyVersionHint: 'The Envoy release that it runs. Its documents are those of this version.',
    listeners: 'Listeners',
    createListener: 'Create a listener',
    notForVersion: (version: string | number, names: string | number) => `Not there for Envoy ${version}: ${names}.`,
    policies: 'Policies',
    policiesHint: (can: ReactNode) => <>Which requests the filter lets through; without one it checks nothing. {can}</>,
    createPolicy: 'Create a policy',
    summary: 'More: the filter',
    threads: 'Threads',
    threadsHint: 'Of the filter on each client, 1 to 64.',
    trustedProxies: 'Trusted proxies in front',
    trustedProxiesHint: 'How many entries of X-Forwarded-For, from the right, are believed; 0 to 32.',
  },
  warnings: {
    versionReplaced: (from: string, to: string) =>
      `Envoy ${from} is replaced by ${to}. No connection is refused; what is still open after 15 s is cut. Versions that were set for single clients are forgotten.`,
    noPolicy: 'No policy: the filter lets every request through.',
    policiesRemoved: (names: string | number) => `Requests are no longer checked by ${names}.`,
    noListener: 'No listener: the service accepts no connections.',
    listenersRemoved: (names: string | number) =>
      `Envoy drains and closes ${names}: new connections there are refused.`,
    bootstrapReplaced:
      'Envoy is replaced by one with the other bootstrap. No connection is refused; what is still open after 15 s is cut.',
    shieldChanged: 'The filter takes its new settings on every node.',
  },
};

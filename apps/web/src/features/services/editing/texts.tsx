import type { ReactNode } from 'react';
import { count } from '../../../ui/count.ts';

export const texts = {
  bootstrapField: {
    done: (name: string | number, version: string | number) => `Bootstrap ${name} is saved for Envoy ${version}.`,
    failed: 'The bootstrap was not created',
    label: 'Bootstrap',
    hint: 'The configuration that Envoy starts with. An empty one works for most services: the controller adds what it needs.',
    chooseVersionFirst: 'Choose the proxy version first',
    chooseOne: 'Choose one',
    notForVersion: (value: string | number, version: string | number) => `There is no ${value} for Envoy ${version}.`,
    noneForVersion: 'No bootstrap for this version',
    createDefault: 'Create a default bootstrap',
  },
  clientsField: {
    label: 'Clients',
    listedHint:
      'Assigned clients run nothing until you deploy the service to them. The addresses are where the service listens there.',
    addressesOptional: 'Addresses are optional.',
    addressesNeeded: (listeners: string) => `${listeners} binds to "@client", so each client needs one.`,
    addressNeeded: 'IP address, required',
    addressMissing: 'An IP address is missing',
    listed: 'Assigned clients',
    deployed: 'Deployed',
    addressesOn: (clientName: string | number) => `Addresses on ${clientName}`,
    addresses: 'IP addresses, optional',
    addressesOnly: 'IP addresses only',
    runsThere: 'The service runs there: undeploy it first',
    takeOut: 'Remove',
    takeOutClient: (clientName: string | number) => `Remove ${clientName}`,
    add: 'Add clients',
    addMore: 'Add more clients',
  },
  conflictPanel: {
    savedMeanwhile: (by: ReactNode, revision: ReactNode, time: ReactNode) => (
      <>
        {by} saved revision {revision} {time}, while you were editing
      </>
    ),
    nothingLost: (bothChanged: ReactNode) => <>No changes are lost, neither yours nor theirs.{bothChanged}</>,
    bothChanged: (names: string | number) =>
      ` Both of you changed ${names}: if you apply your changes on top, your values win there.`,
    base: 'Before',
    theirs: 'Their changes',
    yours: 'Your changes',
    applyOnTop: 'Apply my changes on top of theirs',
    dropMine: 'Discard mine and use theirs',
  },
  draft: {
    checkDraft: {
      version: 'Choose the proxy version.',
      bootstrap: 'Choose a bootstrap, or create one.',
    },
    checkName: {
      missing: 'Enter a name.',
      tooLong: (max: string | number) => `At most ${max} characters.`,
      rule: 'Letters, digits, dots, dashes and underscores. Must start and end with a letter or digit.',
    },
    checkAddresses: {
      clients: (wrong: string | number) => `${wrong} is not an IP address.`,
    },
  },
  namesField: {
    chooseOrSearch: 'Choose, or type to search',
    noneFits: 'No other name matches',
    clear: (label: string | number) => `Clear ${label}`,
  },
  review: {
    changes: 'Changes',
    nothingRunsYet: 'Not deployed yet',
    nothingRunsYetText:
      'Saving reserves an admin port on each assigned client. The service runs after you deploy it in the next step.',
    failed: 'The service was not saved',
    unknownOutcome: 'The service may not have been saved',
    save: 'Save',
    create: 'Create',
  },
  serviceEditor: {
    form: 'Service',
    restored: 'Your unsaved input was restored',
    restoredText: (button: ReactNode) => <>It was kept in this tab. {button}</>,
    discardRestored: 'Discard it',
    savedMeanwhile: (revision: string | number) => `Revision ${revision} was saved while you were editing`,
    look: 'Compare',
    bothChanged: 'You both changed the same fields',
    yoursStands: (names: ReactNode) => <>Your values are kept for {names}. Review them before you save.</>,
    invalid: 'The service cannot be saved yet',
    notChecked: 'The check failed',
    typedIsKept: 'Your input is kept.',
    review: 'Review',
    discard: 'Discard',
    keptInTab: 'Kept in this tab, even if you reload the page.',
    nothingStoredYet: 'Nothing is saved until you confirm.',
  },
  serviceForm: {
    listenersHint: 'Where the service accepts connections. They determine its routes and clusters.',
    versionOption: (version: string | number, documents: number) => `${version} (${count(documents, 'document')} here)`,
    name: 'Name',
    nameHintDeployed: 'To rename a deployed service, undeploy it everywhere first.',
    nameHint: "Part of every node's ID.",
    proxyVersion: 'Proxy version',
    proxyVersionHint: 'The Envoy release to run. The service uses the documents of this version.',
    listeners: 'Listeners',
    createListener: 'Create a listener',
    notForVersion: (version: string | number, names: string | number) =>
      `Not available for Envoy ${version}: ${names}.`,
    policies: 'Policies',
    policiesHint: (can: ReactNode) => (
      <>They decide which requests the filter allows. Without a policy, it allows all requests. {can}</>
    ),
    createPolicy: 'Create a policy',
    apiDiscovery: 'API discovery',
    apiDiscoveryHint:
      'Records each request of its listeners for the inventory: method, path, status, client and headers, without bodies, credentials and values of queries.',
    summary: 'Filter options',
    threads: 'Threads',
    threadsHint: 'Threads of the filter on each client, 1 to 64.',
    trustedProxies: 'Trusted proxies in front',
    trustedProxiesHint: 'Number of trusted X-Forwarded-For entries, counted from the right, 0 to 32.',
  },
  warnings: {
    versionReplaced: (from: string, to: string) =>
      `Envoy ${from} is replaced by ${to}. No connection is refused; connections still open after 15 s are closed. Versions set for single clients are reset.`,
    noPolicy: 'No policy: the filter allows every request.',
    policiesRemoved: (names: string | number) => `${names} will no longer check requests.`,
    addressMissing: (clients: number, listeners: string) =>
      `${count(clients, 'client has', 'clients have')} no IP address: ${listeners} binds to "@client" and cannot be generated there.`,
    noListener: 'No listener: the service accepts no connections.',
    listenersRemoved: (names: string | number) => `Envoy drains and closes ${names} and refuses new connections there.`,
    bootstrapReplaced:
      'A new Envoy process starts with the new bootstrap. No connection is refused; connections still open after 15 s are closed.',
    shieldChanged: 'The filter applies its new settings on every node.',
    discoveryChanged: 'Envoy drains the open connections of all listeners, because their configuration changes.',
  },
};

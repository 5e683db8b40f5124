import type { ReactNode } from 'react';

const list = new Intl.ListFormat('en');

const goneForGood = (documents: number) =>
  documents === 1 ? 'It goes for good, with its history.' : 'They go for good, with their history.';

export const resources = {
  aboutFields: {
    description: 'Description',
    descriptionHint: 'For people; no proxy sees it.',
    labels: 'Labels',
    labelsHint: 'To find it by, such as team=shop; no proxy sees them.',
  },
  certificates: {
    title: 'Certificates in it',
    ended: 'Ended',
    endsSoon: 'Ends soon',
    notYet: 'Not valid yet',
    valid: 'Valid',
    unnamed: 'without a name',
    ends: (time: ReactNode) => <>ends {time}</>,
    hasEnded: (time: ReactNode) => <>ended {time}</>,
    andMore: (count: number) => `and ${count.toLocaleString('en')} more, which end later`,
  },
  collections: {
    collectionNouns: {
      routes: 'route configuration',
      virtualHosts: 'virtual host',
    },
    collectionPurposes: {
      bootstrap: 'What an Envoy starts with: admin, overload limits, statistics sinks. Every service names one.',
      listeners: 'Where proxies accept connections, and what they do with them.',
      routes: 'Which request goes to which cluster. HTTP listeners name them.',
      virtualHosts: 'One host of a route configuration, fetched by proxies when it is first asked for.',
      clusters: 'The upstreams that requests are sent to, with their health checks and TLS.',
      endpoints: 'Addresses of a cluster that change more often than the cluster.',
      secrets: 'Certificates, keys and session ticket keys. Private values are sealed and never shown again.',
      filters: 'Filters that several listeners or routes share.',
      extensions: 'Other parts of Envoy that several documents share, such as access logs and load balancers.',
    },
  },
  deleteDialog: {
    question: (name: string) => `Delete ${name}?`,
    questionMany: (count: number) => `Delete ${count} documents?`,
    action: 'Delete',
    done: (name: string | number) => `${name} is deleted.`,
    doneMany: (count: string | number) => `${count} documents are deleted.`,
    andMore: (rest: string | number) => ` and ${rest} more`,
    changed: (names: readonly string[]) =>
      names.length === 1
        ? `${names[0]} has changed since it was read. Nothing was deleted: look at it, and delete it if it is still to go.`
        : `${list.format(names)} have changed since they were read. Nothing was deleted: look at them, and delete what is still to go.`,
    refused: 'This cannot be deleted as it is',
    looking: 'Looking at what it would reach ...',
    reachesNone: (documents: number) => `No proxy uses ${documents === 1 ? 'it' : 'them'}. ${goneForGood(documents)}`,
    takenFrom: (documents: number, proxies: number) =>
      `${documents === 1 ? 'It is' : 'They are'} taken from ${proxies === 1 ? 'one proxy' : `${proxies.toLocaleString('en')} proxies`}. ${goneForGood(documents)}`,
  },
  dependencyTab: {
    tab: {
      what: 'What it uses',
      usedBy: 'Used by',
      usedByNone: 'Nothing uses it.',
      uses: 'Uses',
      usesNone: 'It names no other document.',
      truncated: (edges: number) => `There are more references than the ${edges} looked at`,
    },
    neighbours: {
      missing: 'Missing',
    },
  },
  editTab: {
    question: (name: string) => `Save ${name}?`,
    form: {
      restored: 'What you typed before is still here, not saved yet.',
      storedMeanwhile: (updatedBy: string | number, revision: string | number) =>
        `${updatedBy} has stored revision ${revision} meanwhile`,
      lookAtBoth: 'Look at both',
      failed: 'Nothing was saved',
      nothingLost: 'Nothing you typed is lost.',
      review: 'Review and save',
      discard: 'Discard',
      action: 'Save',
    },
    useLeaveGuard: {
      leave: 'Leave without saving? Private values are not kept in the browser.',
    },
  },
  newResourcePage: {
    question: (noun: string, name: string) => `Create ${noun} ${name}?`,
    page: {
      title: (noun: string | number) => `New ${noun}`,
      what: 'The proxy versions',
      notAllowed: 'Configuration is written by editors, admins and owners',
      whomToAsk: 'Ask one of them to create it.',
    },
    form: {
      name: 'Name',
      nameMissing: 'It needs a name first',
      virtualHostNameHint: 'route configuration/host',
      proxyVersion: 'Proxy version',
      beginWith: 'Begin with',
      nothing: 'nothing',
      restored: 'What you typed before is still here.',
      beginAnew: 'Begin anew',
      chooseType: (noun: string | number) => `Choose what the ${noun} is: its type says which fields it has.`,
      failed: (noun: string | number) => `The ${noun} was not created`,
      review: 'Review and create',
      action: 'Create',
    },
  },
  resourcePage: {
    page: {
      forVersion: (version: ReactNode) => <>for Envoy {version}</>,
      what: (name: string | number, version: string | number) => `${name} for Envoy ${version}`,
      missing: 'There is no such document in this project',
      showCollection: 'Show all of this collection',
      whyMissing: (auditLog: ReactNode) => <>It may have been deleted. The {auditLog} says by whom.</>,
    },
    tabs: {
      lookAtBefore: 'Look at the revision before',
      partsOf: (name: string | number) => `Parts of ${name}`,
      uses: 'Uses and users',
      history: 'History',
    },
    actions: {
      title: 'Actions',
      copy: 'Copy',
      delete: 'Delete',
    },
  },
  resourcesPage: {
    page: {
      proxyVersion: 'Proxy version',
      label: 'Label (key=value)',
      certificate: 'Certificate',
      type: 'Message type',
      create: (noun: ReactNode) => <>Create {noun}</>,
      searches: 'Name',
      emptyTitle: (collection: string | number) => `No ${collection} yet`,
      delete: 'Delete',
    },
    columns: {
      name: 'Name',
      type: 'Type',
      version: 'Version',
      description: 'Description',
      labels: 'Labels',
      certificate: 'Certificate',
      revision: 'Revision',
      changed: 'Changed',
      by: 'By',
    },
  },
  typeSelect: {
    otherTypes: 'Other',
    type: 'Type',
    search: 'Search by title or name',
    notFound: 'No such type',
  },
  workbench: {
    bench: {
      view: 'View',
      form: 'Form',
      yaml: 'YAML',
      json: 'JSON',
      schemaFailed: (version: string | number) => `What Envoy ${version} understands could not be loaded`,
      unknownType: (version: string | number, type: string | number) => `Envoy ${version} has no message ${type}`,
      chooseAnother: 'Choose another proxy version or another type.',
      formOf: (name: string | number) => `${name}, form`,
      newDocument: 'New document',
      oneToMend: 'One thing to mend',
      toMend: (count: string | number) => `${count} things to mend`,
      andMore: (rest: ReactNode) => <>and {rest} more</>,
    },
    toFindings: {
      namesMissing: (name: string | number, collection: string | number) =>
        `names ${name}, which is not among the ${collection} of this project and version`,
    },
    check: {
      unreadable: 'Cannot be read yet',
      notChecked: 'Not checked',
      whyNotChecked: 'The check was not answered.',
      checking: 'Checking',
      toMend: (errors: string | number) => `${errors} to mend`,
      warnings: (count: string | number) => `${count} warnings`,
      checked: 'Checked',
    },
  },
};

import type { ReactNode } from 'react';

export const resources = {
  aboutFields: {
    factDescription: 'Description',
    factLabels: 'Labels',
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
    doneDocumentsDeleted: (count: string | number) => `${count} documents are deleted.`,
    text: (part: string | number) => ` and ${part} more`,
    what: 'This cannot be deleted as it is',
    textLookingAt: 'Looking at what it would reach ...',
    textNoProxy: 'No proxy uses it. It is gone for good, with its history.',
    textTakenFrom: (count: string | number) =>
      `It is taken from ${count} proxies. It is gone for good, with its history.`,
  },
  dependencyTab: {
    dependencyTab: {
      what: 'What it uses',
      title: 'Used by',
      empty: 'Nothing uses it.',
      titleUses: 'Uses',
      emptyNamesNo: 'It names no other document.',
    },
    neighbours: {
      word: 'Missing',
    },
  },
  editTab: {
    question: (name: string) => `Save ${name}?`,
    editTab: {
      text: (id: string | number) => `document ${id}`,
      title: 'What you typed before is still here, not saved yet.',
      titleStoredRevision: (updatedBy: string | number, revision: string | number) =>
        `${updatedBy} has stored revision ${revision} meanwhile`,
      button: 'Look at both',
      what: 'Nothing was saved',
      still: 'Nothing you typed is lost.',
      buttonReviewSave: 'Review and save',
      buttonDiscard: 'Discard',
      action: 'Save',
    },
    useLeaveGuard: {
      leave: 'Leave without saving? Private values are not kept in the browser.',
    },
  },
  newResourcePage: {
    question: (noun: string, name: string) => `Create ${noun} ${name}?`,
    newDocument: {
      title: (noun: string | number) => `New ${noun}`,
      what: 'The proxy versions',
      titleConfigurationWritten: 'Configuration is written by editors, admins and owners',
      empty: 'Ask one of them to create it.',
    },
    newDocumentForm: {
      text: (id: string | number, collection: string | number) => `new ${id} ${collection}`,
      label: 'Name',
      descriptionRouteConfiguration: 'route configuration/host',
      labelProxyVersion: 'Proxy version',
      labelBegin: 'Begin with',
      placeholder: 'nothing',
      title: 'What you typed before is still here.',
      button: 'Begin anew',
      titleChooseType: (noun: string | number) => `Choose what the ${noun} is: its type says which fields it has.`,
      what: (noun: string | number) => `The ${noun} was not created`,
      still: 'Nothing you typed is lost.',
      buttonReviewCreate: 'Review and create',
      action: 'Create',
    },
  },
  resourcePage: {
    resourcePage: {
      text: (version: ReactNode) => <>for Envoy {version}</>,
      what: (name: string | number, version: string | number) => `${name} for Envoy ${version}`,
      title: 'There is no such document in this project',
      link: 'Show all of this collection',
      empty: 'It may have been deleted. The audit log says by whom.',
    },
    documentTabs: {
      button: 'Look at the revision before',
      label: (name: string | number) => `Parts of ${name}`,
      labelUses: 'Uses and users',
      labelHistory: 'History',
    },
    actions: {
      button: 'Actions',
      item: 'Copy',
      itemDelete: 'Delete',
    },
  },
  resourcesPage: {
    collectionPage: {
      labelVersion: 'Proxy version',
      labelLabel: 'Label (key=value)',
      labelType: 'Message type',
      button: (noun: ReactNode) => <>Create {noun}</>,
      searches: 'Name',
      title: (part: string | number) => `No ${part} yet`,
      buttonDelete: 'Delete',
    },
    makeColumns: {
      headerName: 'Name',
      headerType: 'Type',
      headerVersion: 'Version',
      headerDescription: 'Description',
      headerLabels: 'Labels',
      headerRevision: 'Revision',
      headerUpdatedAt: 'Changed',
      headerUpdatedBy: 'By',
    },
  },
  typeSelect: {
    group: 'Other',
    label: 'Type',
    placeholder: 'Search by title or name',
    nothingFoundMessage: 'No such type',
  },
  workbench: {
    workbench: {
      ariaLabel: 'View',
      labelForm: 'Form',
      labelYaml: 'YAML',
      labelJson: 'JSON',
      what: (version: string | number) => `What Envoy ${version} understands could not be loaded`,
      title: (version: string | number, type: string | number) => `Envoy ${version} has no message ${type}`,
      notice: 'Choose another proxy version or another type.',
      label: (name: string | number) => `${name}, form`,
      textNewDocument: 'New document',
      titleOneThing: 'One thing to mend',
      titleThingsMend: (count: string | number) => `${count} things to mend`,
      item: (part: ReactNode) => <>and {part} more</>,
    },
    toFindings: {
      message: (name: string | number, part: string | number) =>
        `names ${name}, which is not among the ${part} of this project and version`,
    },
    checkState: {
      word: 'Cannot be read yet',
      wordNotChecked: 'Not checked',
      why: 'The check was not answered.',
      wordChecking: 'Checking',
      wordMend: (errors: string | number) => `${errors} to mend`,
      wordWarnings: (count: string | number) => `${count} warnings`,
      wordChecked: 'Checked',
    },
  },
};

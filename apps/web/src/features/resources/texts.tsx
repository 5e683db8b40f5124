import type { ReactNode } from 'react';
import { count } from '../../ui/count.ts';

const list = new Intl.ListFormat('en');

const goneForGood = (documents: number) =>
  documents === 1
    ? 'It is permanently deleted, with its history.'
    : 'They are permanently deleted, with their history.';

export const texts = {
  aboutFields: {
    description: 'Description',
    descriptionHint: 'Only shown here, not sent to proxies.',
    labels: 'Labels',
    labelsHint: 'Help to find it, for example team=shop. Not sent to proxies.',
  },
  certificates: {
    title: 'Certificates',
    ended: 'Expired',
    endsSoon: 'Expires soon',
    notYet: 'Not valid yet',
    valid: 'Valid',
    unnamed: 'unnamed',
    ends: (time: ReactNode) => <>expires {time}</>,
    hasEnded: (time: ReactNode) => <>expired {time}</>,
    andMore: (rest: number) => `and ${rest.toLocaleString('en')} more that expire later`,
  },
  collections: {
    collectionNouns: {
      routes: 'route configuration',
      virtualHosts: 'virtual host',
    },
    collectionPurposes: {
      bootstrap:
        'The configuration that Envoy starts with: admin, overload limits, statistics sinks. Every service has one.',
      listeners: 'Where proxies accept connections and how they process them.',
      routes: 'Rules that send requests to clusters. HTTP listeners refer to them.',
      virtualHosts: 'Single hosts of a route configuration, fetched by proxies on the first request.',
      clusters: 'The upstreams that requests are sent to, with their health checks and TLS.',
      endpoints: 'Addresses of clusters, kept separately because they change more often.',
      secrets: 'Certificates, keys and session ticket keys. Private values are encrypted and never shown again.',
      filters: 'Filters shared by several listeners or routes.',
      extensions: 'Other shared parts of Envoy, such as access logs and load balancers.',
    },
  },
  deleteDialog: {
    question: (name: string) => `Delete ${name}?`,
    questionMany: (documents: number) => `Delete ${count(documents, 'document')}?`,
    action: 'Delete',
    done: (name: string | number) => `${name} is deleted.`,
    doneMany: (documents: number) => `${count(documents, 'document')} deleted.`,
    andMore: (rest: string | number) => ` and ${rest} more`,
    changed: (names: readonly string[]) =>
      names.length === 1
        ? `${names[0]} has changed since you opened this dialog. Nothing was deleted. Review it and try again.`
        : `${list.format(names)} have changed since you opened this dialog. Nothing was deleted. Review them and try again.`,
    refused: 'This cannot be deleted',
    inUse: 'It is in use. Remove it from these first:',
    someInUse: (documents: number) =>
      `${count(documents, 'document is', 'documents are')} in use. Remove the references first:`,
    usersOf: (name: string) => `Users of ${name}`,
    usedByHidden: 'It is in use by something that you have no permission to see. Ask an admin of the project.',
    otherUsers: { services: 'Service', policies: 'Policy' } as Readonly<Record<string, string>>,
    looking: 'Checking what uses it …',
    reachesNone: (documents: number) => `No proxy uses ${documents === 1 ? 'it' : 'them'}. ${goneForGood(documents)}`,
    takenFrom: (documents: number, proxies: number) =>
      `${documents === 1 ? 'It is' : 'They are'} removed from ${count(proxies, 'proxy', 'proxies')}. ${goneForGood(documents)}`,
  },
  dependencyTab: {
    tab: {
      what: 'The references',
      usedBy: 'Used by',
      usedByNone: 'Nothing uses it.',
      uses: 'Uses',
      usesNone: 'It refers to no other document.',
      truncated: (edges: number) => `Only the first ${edges} references were read`,
    },
    neighbours: {
      missing: 'Missing',
    },
  },
  editTab: {
    question: (name: string) => `Save ${name}?`,
    form: {
      restored: 'Your unsaved changes were restored.',
      storedMeanwhile: (updatedBy: string | number, revision: string | number) =>
        `${updatedBy} saved revision ${revision} while you were editing`,
      lookAtBoth: 'Compare',
      failed: 'Nothing was saved',
      nothingLost: 'Your changes are still here.',
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
      notAllowed: 'Only editors, admins and owners can change configuration',
      whomToAsk: 'Ask one of them to create it.',
    },
    form: {
      name: 'Name',
      nameMissing: 'Enter a name',
      virtualHostNameHint: 'route configuration/host',
      proxyVersion: 'Proxy version',
      beginWith: 'Template',
      nothing: 'None',
      restored: 'Your unsaved input was restored.',
      beginAnew: 'Start over',
      chooseType: (noun: string | number) => `Choose the type of the ${noun}. It determines the fields.`,
      failed: (noun: string | number) => `The ${noun} was not created`,
      review: 'Review and create',
      action: 'Create',
    },
  },
  resourcePage: {
    page: {
      forVersion: (version: ReactNode) => <>for Envoy {version}</>,
      whatOf: (name: string | number, version: string | number) => `${name} for Envoy ${version}`,
      missing: { title: 'There is no such document in this project', showAll: 'Show the whole collection' },
      whyMissing: (auditLog: ReactNode) => <>It may have been deleted. See the {auditLog}.</>,
    },
    tabs: {
      lookAtBefore: 'Compare with previous revision',
      partsOf: (name: string | number) => `Parts of ${name}`,
      traffic: 'Traffic',
      uses: 'References',
      history: 'History',
    },
    actions: {
      title: 'Actions',
      copy: 'Copy',
      delete: 'Delete',
    },
  },
  documentState: {
    live: 'Live',
    whyLive: 'The proxies of its services run their newest configuration.',
    inProgress: 'Rolling out',
    whyInProgress: 'A proxy of its services has not applied its newest configuration yet.',
    refused: 'Refused',
    whyRefused: 'A proxy reports an error about it.',
    failed: 'Failed',
    whyFailed: 'A proxy of its services serves nothing.',
    stopped: 'Stopped',
    whyStopped: 'Its services are stopped on all clients.',
    unreachable: 'Unreachable',
    whyUnreachable: 'No agent of its services is connected. The proxies keep their last configuration.',
    notDeployed: 'Not deployed',
    whyNotDeployed: 'Its services are not deployed.',
    unused: 'Unused',
    whyUnused: 'No service uses it.',
  },
  resourcesPage: {
    page: {
      proxyVersion: 'Proxy version',
      label: 'Label',
      state: 'State',
      changedBy: 'Changed by',
      me: 'Me',
      certificate: 'Certificate',
      type: 'Message type',
      create: (noun: ReactNode) => <>Create {noun}</>,
      searches: 'Name',
      emptyTitle: (collection: string | number) => `No ${collection} yet`,
      delete: 'Delete',
    },
    columns: {
      name: 'Name',
      state: 'State',
      address: 'Address',
      moreAddresses: (more: number) => `+${more}`,
      tls: 'TLS',
      service: 'Services',
      moreServices: (more: number) => `+${more}`,
      domains: 'Domains',
      moreDomains: (more: number) => `, +${more}`,
      routes: 'Routes',
      discovery: 'Discovery',
      endpoints: 'Endpoints',
      content: 'Content',
      users: 'Used by',
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
      schemaFailed: (version: string | number) => `The schema of Envoy ${version} could not be loaded`,
      unknownType: (version: string | number, type: string | number) => `Envoy ${version} has no message ${type}`,
      chooseAnother: 'Choose another proxy version or another type.',
      formOf: (name: string | number) => `${name}, form`,
      newDocument: 'New document',
      errors: (errors: number) => count(errors, 'error'),
      andMore: (rest: ReactNode) => <>and {rest} more</>,
    },
    toFindings: {
      namesMissing: (name: string | number, collection: string | number) =>
        `refers to ${name}, which is not among the ${collection} of this project and version`,
    },
    check: {
      unreadable: 'Syntax error',
      notChecked: 'Not checked',
      whyNotChecked: 'The check did not respond.',
      checking: 'Checking',
      errors: (errors: number) => count(errors, 'error'),
      warnings: (warnings: number) => count(warnings, 'warning'),
      checked: 'Checked',
    },
  },
};

import type { ReactNode } from 'react';

export const pages = {
  newPolicyPage: {
    newPolicyPage: {
      titleNewPolicy: 'New policy',
      title: (from: string | number) => `Copy of ${from}`,
      link: 'Policies',
      lead: 'Which requests the filter lets through: stored here, it travels to every proxy of the services that name it.',
      titlePoliciesWritten: 'Policies are written by admins and owners',
      empty: 'Ask one of them to create it.',
      what: 'The policy to copy',
    },
    newPolicy: {
      question: (name: string) => `Create policy ${name}?`,
      text: (id: string | number) => `new policy ${id}`,
      done: (name: string | number) => `Policy ${name} is stored.`,
      title: 'What you typed before is still here, not stored yet.',
      notice: 'Raw keys are never kept in the browser: type them again where the text says key: "".',
      titleSecretFiles: 'Secret files are not copied: nobody can read them back. Add them anew.',
      label: 'Name',
      description: 'Letters, digits, dots and dashes; services name it by this',
      labelHost: 'Host',
      descriptionStarterCovers: 'That the starter covers; *.example.com covers what is below, * everything',
      what: 'Nothing was stored',
      still: 'Nothing you typed is lost.',
      button: 'Review and create',
      buttonBackStarter: 'Back to the starter',
      action: 'Create',
      textReachesNo: 'It reaches no proxy until a service names it.',
    },
  },
  policiesPage: {
    button: 'Create policy',
    title: 'Policies',
    lead: 'Which requests the filter beside each proxy lets through, blocks or counts.',
    titleRequestsPolicies: 'Requests that policies decided in the last hour',
    what: 'The counts',
    text: 'None was reported. Counts arrive some ten seconds after the requests.',
    titleRequestsPoliciesDecided: 'Requests that policies decided',
    list: 'policies',
    searches: 'Name, description, text',
    titleNoPolicy: 'No policy yet',
    empty:
      'A policy says who needs an API key, how many requests an address may make, and where that is only counted. Services name it; their proxies then hold to it.',
  },
  policyActions: {
    policyActions: {
      button: 'Copy',
      buttonDelete: 'Delete',
    },
    deletePolicy: {
      question: (name: string) => `Delete policy ${name}?`,
      done: (name: string | number) => `Policy ${name} is deleted.`,
      action: 'Delete',
      title: 'Services use it: the controller refuses to delete it until they no longer name it',
      confirmNoService: 'No service uses it, so nothing changes on any proxy. Its history goes, too.',
    },
  },
  policyColumns: {
    policyColumns: {
      headerName: 'Name',
      headerHosts: 'Hosts',
      headerServices: 'Used by',
      headerBlocked: 'Blocked, 1 h',
      headerRevision: 'Revision',
      headerDigest: 'Digest',
      headerUpdatedAt: 'Changed',
      headerUpdatedBy: 'By',
      headerDescription: 'Description',
      headerCreatedAt: 'Created',
    },
    usedBy: {
      title: 'No service names it: no proxy runs it',
      text: 'no service',
    },
  },
  policyPage: {
    policyPage: {
      link: 'Policies',
      what: 'The policy',
      title: 'There is no such policy in this project',
      linkShowAll: 'Show all policies',
      empty: 'It may have been deleted. The audit log says by whom.',
    },
    content: {
      factHosts: 'Hosts',
      factServicesUse: 'Services that use it',
      facts: (revision: string | number) => `Revision ${revision}`,
      text: (time: ReactNode, bdi: ReactNode, digest: ReactNode) => (
        <>
          {time} by {bdi}, digest {digest}
        </>
      ),
      label: 'About the policy',
      labelEditNotSaved: ' (not saved)',
      labelEditText: 'Text',
      labelStructure: 'Structure',
      labelTry: 'Try a request',
      labelNodes: 'Nodes',
      labelTraffic: 'Traffic',
      labelHistory: 'History',
    },
    saved: {
      titleOneRaw: 'One raw key was replaced by its SHA-256',
      title: (keys: string | number) => `${keys} raw keys were replaced by their SHA-256`,
      notice: 'The keys themselves are stored nowhere.',
      button: (part: ReactNode) => <>Go back to revision {part}</>,
    },
    hosts: {
      textNoneAllows: 'None: it allows everything',
      text: (rest: string | number) => ` and ${rest} more`,
    },
    services: {
      textNoneNo: 'None: no proxy runs it',
      text: (rest: string | number) => ` and ${rest} more`,
    },
  },
};

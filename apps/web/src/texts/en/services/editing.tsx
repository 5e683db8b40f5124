import type { ReactNode } from 'react';

export const editing = {
  bootstrapField: {
    done: (defaultname: string | number, version: string | number) =>
      `Bootstrap ${defaultname} is stored for Envoy ${version}.`,
    failed: 'The bootstrap was not created',
    label: 'Bootstrap',
    description: 'What Envoy starts with. An empty one does for most: the controller adds what it needs itself.',
    placeholderChooseProxy: 'Choose the proxy version first',
    placeholderChooseOne: 'Choose one',
    error: (value: string | number, version: string | number) => `There is no ${value} for Envoy ${version}.`,
    nothingFoundMessage: 'There is none for this version',
    button: 'Create a default bootstrap',
  },
  clientsField: {
    legend: 'Clients',
    text: 'They are listed, and run nothing until the service is deployed to them. Addresses are where people reach the service there; they are optional.',
    ariaLabel: 'Listed clients',
    word: 'Deployed',
    ariaLabelAddresses: (clientName: string | number) => `Addresses on ${clientName}`,
    placeholderIpAddresses: 'IP addresses, optional',
    errorIpAddresses: 'IP addresses only',
    labelRunsThere: 'It runs there: undeploy it first',
    labelTakeOut: 'Take it out',
    ariaLabelTakeOut: (clientName: string | number) => `Take out ${clientName}`,
    labelAddClients: 'Add clients',
    labelAddMore: 'Add more clients',
  },
  conflictPanel: {
    text: (bdi: ReactNode, revision: ReactNode, time: ReactNode) => (
      <>
        {bdi} saved revision {revision} {time}, while you were editing
      </>
    ),
    notice: (part: ReactNode) => <>Nothing of yours is lost, and nothing of theirs was overwritten.{part}</>,
    textBothYou: (names: string | number) => ` Both of you changed ${names}: on top, yours would hold there.`,
    title: 'What they changed',
    titleYouChanged: 'What you changed',
    button: 'Put my changes on top of theirs',
    buttonDropMine: 'Drop mine and take theirs',
  },
  draft: {
    checkDraft: {
      version: 'Choose the proxy version.',
      bootstrap: 'Choose a bootstrap, or create one.',
    },
    checkName: {
      textGiveName: 'Give it a name.',
      text: (namemax: string | number) => `At most ${namemax} characters.`,
      nameRule: 'Letters, digits, dot, dash and underscore; starts and ends with a letter or digit.',
    },
    checkAddresses: {
      clients: (wrong: string | number) => `${wrong} is not an IP address.`,
    },
  },
  namesField: {
    placeholderChooseType: 'Choose, or type to search',
    nothingFoundMessage: 'No other name fits',
    ariaLabel: (label: string | number) => `Clear ${label}`,
  },
  review: {
    title: 'Before you save',
    titleWouldChange: 'What would change',
    titleWouldBe: 'What would be created',
    titleNothingRuns: 'Nothing runs yet',
    notice:
      'Saving stores the service and reserves an admin port on each listed client. It runs when you deploy it, which is offered next.',
    whatNotSaved: 'It was not saved',
    whatNotKnown: 'It is not known whether it was saved',
    still: 'What you typed is kept.',
    buttonSave: 'Save',
    buttonCreate: 'Create',
    button: 'Back to the form',
  },
  serviceEditor: {
    ariaLabel: 'Service',
    title: 'This is what you typed before',
    notice: (button: ReactNode) => <>It was kept in this tab. {button}</>,
    button: 'Discard it',
    titleRevisionSaved: (revision: string | number) => `Revision ${revision} was saved while you were editing`,
    buttonLookAt: 'Look at it',
    titleBothYou: 'Both of you changed the same',
    noticeYoursStands: (names: ReactNode) => <>Yours stands in {names}. Review before you save.</>,
    whatCannotBe: 'It cannot be saved like this',
    whatCouldNot: 'It could not be checked',
    still: 'What you typed is kept.',
    buttonReview: 'Review',
    buttonDiscard: 'Discard',
    textKeptTab: 'Kept in this tab, also when the page is loaded anew.',
    textNothingStored: 'Nothing is stored before you confirm.',
  },
  serviceForm: {
    listenersHint: 'Where it accepts connections. Routes and clusters follow from them.',
    label: (version: string | number, documents: string | number) => `${version} (${documents} documents here)`,
    labelName: 'Name',
    descriptionDeployedCan: 'It is deployed: it can be renamed only after it is undeployed everywhere.',
    descriptionPartEvery: "Part of every node's id; what people see and type.",
    labelProxyVersion: 'Proxy version',
    description: 'The Envoy release that it runs. Its documents are those of this version.',
    labelListeners: 'Listeners',
    link: 'Create a listener',
    error: (version: string | number, names: string | number) => `Not there for Envoy ${version}: ${names}.`,
    labelPolicies: 'Policies',
    text: (can: ReactNode) => <>Which requests the filter lets through; without one it checks nothing. {can}</>,
    linkCreatePolicy: 'Create a policy',
    summary: 'More: the filter',
    labelThreads: 'Threads',
    descriptionFilterEach: 'Of the filter on each client, 1 to 64.',
    labelTrustedProxies: 'Trusted proxies in front',
    descriptionHowMany: 'How many entries of X-Forwarded-For, from the right, are believed; 0 to 32.',
  },
  warnings: {
    versionReplaced: (from: string, to: string) =>
      `Envoy ${from} is replaced by ${to}. No connection is refused; what is still open after 15 s is cut. Versions that were set for single clients are forgotten.`,
    textNoPolicy: 'No policy: the filter lets every request through.',
    text: (names: string | number) => `Requests are no longer checked by ${names}.`,
    textNoListener: 'No listener: the service accepts no connections.',
    textEnvoyDrains: (names: string | number) => `Envoy drains and closes ${names}: new connections there are refused.`,
    textEnvoyReplaced:
      'Envoy is replaced by one with the other bootstrap. No connection is refused; what is still open after 15 s is cut.',
    textFilterTakes: 'The filter takes its new settings on every node.',
  },
};

import type { ShieldResync } from '@flotilla/contract';
import { count } from '../../../ui/count.ts';

export const texts = {
  page: {
    title: 'Filter status',
    lead: 'The filters next to the proxies, and the policies that each of them runs.',
    name: 'filters',
    empty: { title: 'No filters yet', text: 'A filter runs next to each proxy of a service with policies.' },
  },
  columns: {
    service: 'Service',
    client: 'Client',
    state: 'State',
    policies: 'Policies',
    digest: 'Digest',
    digestName: 'digest of the policies',
    error: 'Error',
    reported: 'Reported',
    none: '–',
  },
  resync: {
    action: 'Send policies again',
    title: 'Send the policies to all filters again?',
    text: 'Each filter of the project gets the current policies again. Filters keep running meanwhile. Clients that are not connected get the policies when they reconnect.',
    done: ({ nodes, offline }: ShieldResync) =>
      offline === 0
        ? `Sent to ${count(nodes, 'filter')}`
        : `Sent to ${count(nodes, 'filter')}, ${offline} of them later`,
  },
  drawer: {
    title: 'Filter',
    notListed: 'This filter is not in the list',
    whyNotListed: 'It may have been removed, or it is on another page of the list.',
    service: 'Service',
    client: 'Client',
    digest: 'Digest that runs',
    wanted: 'Newest digest',
    problem: 'Error',
    processes: 'Processes',
    process: (role: string, pid: number) => `${role}, process ${pid}`,
    files: 'Files on the host',
    filesList: 'files of the policies',
    path: 'Path',
    bytes: 'Bytes',
    sha256: 'SHA-256',
    noFiles: 'The host has no policies for this service.',
    moreFiles: (files: number) => `${files} more files are not shown.`,
    log: 'Last lines of the log',
    noLog: 'The log is empty.',
    offline: 'The client is not connected',
    offlineText: 'Its files and its log can be read after it reconnects.',
    whatFiles: 'The files',
    whatLog: 'The state of the filter',
    failed: 'The client did not answer this',
    unknownForm: 'The client answered in a form that this page does not know.',
  },
};

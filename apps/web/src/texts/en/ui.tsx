import type { ReactNode } from 'react';

export const ui = {
  rowActions: { of: (name: string) => `Actions for ${name}` },
  close: 'Close',
  links: { auditLog: 'audit log' },
  confirm: {
    failed: 'It did not happen',
    cancel: 'Cancel',
  },
  copy: {
    copied: 'Copied',
    copy: (what: string | number) => `Copy ${what}`,
  },
  fieldClashes: {
    table: {
      changedMeanwhile: 'Somebody else has changed this meanwhile',
      field: 'Field',
      storedNow: 'Stored now',
      yours: 'Yours',
      takeTheirs: 'Take theirs',
      keepMine: 'Keep mine',
    },
    value: {
      yes: 'Yes',
      no: 'No',
    },
  },
  loaded: {
    failed: (what: string | number) => `${what} could not be loaded`,
  },
  notice: {
    problem: {
      tryAgain: 'Try again',
      request: (id: ReactNode) => <>Request {id}</>,
    },
    explain: {
      ownFault: (message: string) =>
        `Something in this page failed: ${message}. Reload it; what is stored is not touched.`,
      noAnswer:
        'The controller does not answer. The proxies run on with what they have. Check that the controller runs and that this browser reaches it.',
    },
  },
  page: {
    trail: 'Breadcrumb',
  },
  seriesPlot: {
    plot: {
      chart: 'Chart',
      table: 'Table',
      zone: 'The time zone of the hours below',
    },
    valuesTable: {
      title: (title: string | number) => `${title}, as a table`,
      time: 'Time',
    },
  },
  shownOnce: {
    title: 'Shown only now',
  },
  bulkBar: {
    title: 'Selected rows',
    selected: (count: ReactNode) => <>{count} selected</>,
    unselect: 'Unselect',
  },
  dataTable: {
    failed: (name: string | number) => `The ${name} could not be loaded`,
    withoutFilters: 'Without filters and order',
    selectRow: (number: string | number) => `Select row ${number}`,
    refreshFailed: (name: string | number) => `The ${name} could not be refreshed`,
    shownIsOld: 'What is shown is what was known before.',
    listOf: (name: string | number) => `List of ${name}`,
    selectAll: 'Select all rows',
    nothingFits: 'Nothing fits these filters.',
  },
  filterMenu: {
    filter: 'Filter',
    title: 'Filters',
  },
  toolbar: {
    bar: {
      search: (name: string | number) => `Search ${name}`,
      removeFilter: (label: string | number, value: string | number) => `Remove filter ${label}: ${value}`,
      clear: 'Clear',
      downloadHint: 'Download the rows that are loaded as CSV',
      download: 'Download as CSV',
    },
    lookMenu: {
      title: 'Columns and density',
      denseRows: 'Dense rows',
    },
  },
  time: {
    in: (text: string) => `in ${text}`,
    justNow: 'just now',
    ago: (text: string | number) => `${text} ago`,
  },
  /** Words that a state may have; each looks alike everywhere. */
  state: {
    live: 'Live',
    partial: 'Partial',
    offline: 'Offline',
    notDeployed: 'Not Deployed',
    running: 'Running',
    stopped: 'Stopped',
    preparing: 'Preparing',
    failed: 'Failed',
    removed: 'Removed',
    waiting: 'Waiting',
    sent: 'Sent',
    acknowledged: 'Acknowledged',
    warmed: 'Warmed',
    refused: 'Refused',
    held: 'Held',
    unknown: 'Unknown',
    done: 'Done',
    pending: 'Pending',
    denied: 'Denied',
    critical: 'Critical',
    error: 'Error',
    warning: 'Warning',
    resolved: 'Resolved',
    active: 'Active',
  },
};

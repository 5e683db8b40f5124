import type { ReactNode } from 'react';

export const ui = {
  rowActions: { of: (name: string) => `Actions for ${name}` },
  close: 'Close',
  confirm: {
    what: 'It did not happen',
    button: 'Cancel',
  },
  copy: {
    labelCopied: 'Copied',
    label: (what: string | number) => `Copy ${what}`,
  },
  fieldClashes: {
    fieldClashes: {
      title: 'Somebody else has changed this meanwhile',
      head: 'Field',
      headStoredNow: 'Stored now',
      headYours: 'Yours',
      button: 'Take theirs',
      buttonKeepMine: 'Keep mine',
    },
    show: {
      textYes: 'Yes',
      textNo: 'No',
    },
  },
  loaded: {
    what: (what: string | number) => `${what} could not be loaded`,
  },
  notice: {
    problem: {
      button: 'Try again',
      text: (span: ReactNode) => <>Request {span}</>,
    },
    explain: {
      ownFault: (message: string) =>
        `Something in this page failed: ${message}. Reload it; what is stored is not touched.`,
      message:
        'The controller does not answer. The proxies run on with what they have. Check that the controller runs and that this browser reaches it.',
    },
  },
  page: {
    ariaLabel: 'Breadcrumb',
  },
  seriesPlot: {
    seriesPlot: {
      buttonChart: 'Chart',
      buttonTable: 'Table',
    },
    valuesTable: {
      ariaLabel: (title: string | number) => `${title}, as a table`,
      th: 'Time',
    },
  },
  shownOnce: {
    title: 'Shown only now',
  },
  bulkBar: {
    ariaLabel: 'Selected rows',
    strong: (count: ReactNode) => <>{count} selected</>,
    button: 'Unselect',
  },
  dataTable: {
    what: (name: string | number) => `The ${name} could not be loaded`,
    button: 'Without filters and order',
    ariaLabel: (part: string | number) => `Select row ${part}`,
    whatCouldNot: (name: string | number) => `The ${name} could not be refreshed`,
    still: 'What is shown is what was known before.',
    ariaLabelList: (name: string | number) => `List of ${name}`,
    ariaLabelSelectAll: 'Select all rows',
    text: 'Nothing fits these filters.',
  },
  filterMenu: {
    button: 'Filter',
    ariaLabel: 'Filters',
  },
  toolbar: {
    toolbar: {
      ariaLabel: (name: string | number) => `Search ${name}`,
      ariaLabelRemoveFilter: (label: string | number, label2: string | number) => `Remove filter ${label}: ${label2}`,
      button: 'Clear',
      label: 'Download the rows that are loaded as CSV',
      ariaLabelDownloadCsv: 'Download as CSV',
    },
    searchInput: {
      ariaLabel: (name: string | number) => `Search ${name}`,
    },
    lookMenu: {
      label: 'Columns and density',
      labelDenseRows: 'Dense rows',
    },
  },
  time: {
    textIn: (text: string) => `in ${text}`,
    textJustNow: 'just now',
    text: (text: string | number) => `${text} ago`,
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

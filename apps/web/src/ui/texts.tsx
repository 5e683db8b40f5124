import type { ReactNode } from 'react';
import { count } from './count.ts';

export const texts = {
  rowActions: { of: (name: string) => `Actions for ${name}` },
  close: 'Close',
  usedBy: { more: 'and more' },
  links: { auditLog: 'audit log' },
  confirm: {
    failed: 'The action failed',
    cancel: 'Cancel',
  },
  editForm: {
    save: 'Save',
    discard: 'Discard',
    merged: 'The form now contains their changes and yours. Review it and save again.',
  },
  form: {
    least: {
      string: (min: number) => `At least ${count(min, 'character')}.`,
      number: (min: number) => `At least ${min}.`,
      array: (min: number) => `At least ${min}.`,
    },
    most: {
      string: (max: number) => `At most ${count(max, 'character')}.`,
      number: (max: number) => `At most ${max}.`,
      array: (max: number) => `At most ${max}.`,
    },
    whole: 'A whole number.',
    email: 'an e-mail address such as anna@example.com',
    invalid: 'This value is not valid.',
  },
  copy: {
    copied: 'Copied',
    copy: (what: string | number) => `Copy ${what}`,
  },
  fieldClashes: {
    table: {
      changedMeanwhile: 'Someone else changed this while you were editing',
      field: 'Field',
      storedNow: 'Saved value',
      yours: 'Yours',
      takeTheirs: 'Use theirs',
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
      forOtherRoles: 'Your role does not allow you to see this',
      request: (id: ReactNode) => <>Request {id}</>,
    },
    explain: {
      ownFault: (message: string) => `This page failed: ${message}. Reload it. Your stored data is not affected.`,
      noAnswer:
        'The controller does not answer. Proxies keep running with their last configuration. Check that the controller is running and that this browser can connect to it.',
    },
  },
  page: {
    trail: 'Breadcrumb',
  },
  seriesPlot: {
    plot: {
      chart: 'Chart',
      table: 'Table',
      zone: 'Time zone of the chart',
      open: '(incomplete)',
      dashed: 'Dashed: incomplete',
      gaps: 'Gap: no report',
    },
    valuesTable: {
      title: (title: string | number) => `${title}, as a table`,
      time: 'Time',
    },
  },
  shownOnce: {
    title: 'Shown only once',
  },
  bulkBar: {
    title: 'Selected rows',
    selected: (count: ReactNode) => <>{count} selected</>,
    unselect: 'Deselect all',
  },
  dataTable: {
    failed: (name: string | number) => `The ${name} could not be loaded`,
    withoutFilters: 'Clear filters and sorting',
    selectRow: (number: string | number) => `Select row ${number}`,
    refreshFailed: (name: string | number) => `The ${name} could not be refreshed`,
    shownIsOld: 'You see the data that was loaded before.',
    listOf: (name: string | number) => `List of ${name}`,
    selectAll: 'Select all rows',
    nothingFits: 'Nothing matches these filters.',
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
      downloadHint: 'Download the loaded rows as CSV',
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

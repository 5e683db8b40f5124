export { findLabelProblem, LABELS_MAX, type LabelSelector, parseLabel } from '@flotilla/proto/commands';

export const suggest = {
  field: {
    namesMessage: 'message type',
  },
};

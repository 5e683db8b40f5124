export const texts = {
  field: {
    namesMessage: 'message type',
  },
};

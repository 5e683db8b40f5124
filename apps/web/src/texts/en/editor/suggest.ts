export const suggest = {
  field: {
    namesMessage: 'names the message',
  },
};

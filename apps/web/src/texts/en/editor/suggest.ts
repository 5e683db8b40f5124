export const suggest = {
  suggest: {
    detailField: 'names the message',
  },
};

/** The log-odds that a parameter follows a segment that ends with a word, in the tuning half of the corpus (README.md). Written by `node bench/src/templating-fit.ts`. */
export const PARAMETER_ODDS: ReadonlyMap<string, number> = new Map(
  `
account:-0.9 accounts:0.6 action:0.7 actions:0 active:-0.7 activities:0.5 addons:0 addresses:0.6 admin:-1.5 agents:0 airports:0.3 alerts:1.1 all:-0.5
analyses:0.9 analytics:-1.1 annotations:0.7 api:-3 app:-1.4 application:-0.5 applications:1 apps:0.1 articles:0.3 artists:0 assets:0.5 assignments:1.1
associations:-0.3 attachment:0 attachments:1.6 attributes:0.8 auth:-2.3 authentication:-1.8 authorizations:0.3 autocomplete:0 avatar:0.5 batch:0.2
batches:0 beta:-1.6 billing:-1.1 bills:0.7 blocks:0.3 books:0 branches:1.6 builds:0.2 bulk:-0.9 bundles:1.1 cache:-0.5 calls:0.9 campaigns:1.1
cards:0.7 catalogs:0 categories:0.5 certificates:1.1 changes:0.4 channels:0.8 charts:0 check:0 children:0.7 circuits:0 client:-0.2 clients:1.5
cluster:-0.3 clusters:1.6 code:0.5 codes:0.7 collaborators:1.1 collection:1.3 collections:1.1 columns:0.2 com:-2.2 commands:0.5 comments:0.8
commits:1.8 compliance:-1.6 conditions:0.7 config:-0.6 configuration:0.2 configurations:0 connect:-0.9 connections:0.5 connectors:0.3 contacts:0.9
containers:-0.2 content:0 contents:0.7 contracts:0 conversations:0.3 count:-0.7 countries:0.8 counts:-0.3 credentials:0.5 currencies:0.7 current:-0.7
customer:-1.6 customers:0.2 data:-0.2 database:-0.9 databases:1.1 definitions:0.4 deployments:1.6 details:1.3 device:-0.5 devices:0.8 document:0.7
documents:0.4 domains:0.5 download:0.8 downloads:0.2 elements:0 email:-0.8 emails:1.4 employees:0.3 entity:0.2 entries:0.3 environments:1.6
episodes:1.1 event:-0.3 events:0.6 export:0.6 exports:0.3 features:0.9 feeds:1.6 fields:1.5 file:-0.2 files:1.4 filter:-0.2 filters:1.4 flow:0 flows:0
folders:1.1 following:0.9 forms:1.1 friends:0 functions:0.5 genes:0 geo:0 get:0.4 group:0.6 groups:1.1 history:0.4 hooks:0.8 id:0.8 identity:-1.8
image:-0.4 images:0.3 import:-0.2 info:-0.3 instance:0 instances:1.5 integrations:0.8 invoices:1.2 ips:0.4 issues:0 item:0.5 items:0.9 jobs:0.6
json:-0.9 key:0 keys:2.4 labels:0.7 languages:1.4 latest:-0.3 licenses:1.8 links:0.5 list:0.8 lists:0.7 location:0.3 locations:0.6 logs:0.5 lookup:0
map:0.5 maps:0.3 markets:0.3 me:-2.1 media:0.2 meetings:0.7 members:0.9 memberships:0.8 message:-0.3 messages:0.3 metadata:-0.2 methods:0.2
metrics:-0.7 milestones:1.8 model:0 models:1.3 monitoring:-1.6 movies:0.3 my:-0.9 name:1.3 names:0.4 namespaces:1.8 nearest:1.6 networks:1.1 nodes:1
notes:1.3 notifications:-0.6 numbers:0.3 oauth:-1.9 object:0.9 objects:0.7 offers:0 operations:-0.3 options:0 order:0 orders:0.7 org:0
organizations:1.9 orgs:0.7 owner:0.7 packages:0.7 pages:0.5 participants:0.2 partners:0.5 password:-0.2 pattern:0 payment:0.3 payments:0.6 pdf:-0.9
people:0.7 performance:-0.9 permissions:0.2 places:0.7 plans:1.5 platform:-0.3 plugins:0.2 podcasts:0 points:1.1 policies:0.3 popular:-1.6 posts:0
preferences:-0.9 products:0.2 profile:0 profiles:0.5 project:0.7 projects:0.6 promotions:0.7 properties:0.5 providers:0.4 proxy:0 public:-1.1 pulls:0
purchases:0 queries:-0.3 query:0 queues:0.7 quotes:0.9 ratings:0.3 reactions:0.7 read:0 receipts:0 recipes:0.3 recipients:-0.3 recordings:0.4
records:1.4 references:0 regions:0.9 registrants:0 registry:-0.3 relationships:0 releases:0.7 replies:0.9 report:-0.8 reports:-0.3 repositories:0.7
request:0.7 requests:0.8 reservations:1.6 resources:0.3 rest:-2.6 restrictions:0.3 result:1.3 results:1.6 reviewers:0.3 reviews:0.8 role:0.9 roles:1.2
rooms:0.2 route:0.7 rules:0.5 runners:0 runs:0.9 s:0 schedule:0.7 schedules:0.4 schema:0 schemas:-0.3 search:-0.6 secrets:0.2 security:-1.6
segments:0.2 senders:0 series:0.8 server:0.3 servers:1.3 service:-0.7 services:0.9 session:0 sessions:0.8 sets:1.4 settings:-0.7 shares:0.3 shows:0.3
signatures:0.7 sites:1.4 sms:0.3 snippets:0.3 sources:0 spaces:0.3 state:-0.7 stations:1.1 stats:-0.8 status:2.7 statuses:0.6 steps:1.8 storage:-1.1
stores:0.7 strategies:0.3 streams:0.5 submissions:0.5 subscriptions:0.4 summary:0.4 system:-1 tables:0 tags:1 targets:0.9 tasks:0.5 teams:1.6
template:0.3 templates:0.8 term:0.7 test:-1.6 themes:0.7 tiers:0.7 timers:0.7 token:-0.3 tokens:0.8 tools:-0.7 topics:-0.3 tracks:0.9 transaction:0.7
transactions:0.7 transfer:0.3 transfers:0.9 translations:0.3 trees:0.7 triggers:0.7 type:1.2 types:1.5 update:1.1 updates:0.5 uploads:0.8 url:0
urls:-0.5 user:-0.7 users:0.3 v:-2.1 values:0.9 variables:1.8 variants:0.7 verify:0.5 version:0.7 versions:0.9 videos:-0.2 volumes:0.2 webhook:-0.3
webhooks:0.8 workspaces:0.7 zip:0.7
`
    .trim()
    .split(/\s+/)
    .map((item) => {
      const [word = '', odds] = item.split(':');
      return [word, Number(odds)];
    }),
);

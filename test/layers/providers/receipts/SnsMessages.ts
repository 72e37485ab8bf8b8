import { MessageId } from "#schemas/MessageId.ts"
import { key } from "#test/layers/providers/receipts/SnsCertificate.ts"
import { sign } from "node:crypto"

export const messageId = MessageId.make("1-5f5fc76c-0123456789abcdef01234567")
export const topic = "arn:aws:sns:us-east-1:123456789012:ses-events"
export const certificate =
  "https://sns.us-east-1.amazonaws.com/SimpleNotificationService-f3ecfb7224c7233fe7bb5f59f96de52f.pem"
export const timestamp = "2027-01-05T00:41:03.000Z"
export const now = Date.parse(timestamp)

export type Fields = Readonly<Record<string, string>>

/** Signs as SNS does (docs.aws.amazon.com/sns, Verifying the signatures of Amazon SNS messages). */
export const envelope = (fields: Fields, algorithm: "sha1" | "sha256" = "sha256"): Fields => {
  const names = fields["Type"] === "Notification"
    ? ["Message", "MessageId", "Subject", "Timestamp", "TopicArn", "Type"]
    : ["Message", "MessageId", "SubscribeURL", "Timestamp", "Token", "TopicArn", "Type"]
  const text = names.flatMap((name) => fields[name] === undefined ? [] : [`${name}\n${fields[name]}\n`]).join("")
  return {
    ...fields,
    SignatureVersion: algorithm === "sha1" ? "1" : "2",
    Signature: sign(algorithm, Buffer.from(text), key).toString("base64"),
    SigningCertURL: certificate,
    UnsubscribeURL: `https://sns.us-east-1.amazonaws.com/?Action=Unsubscribe&SubscriptionArn=${topic}:c9135db0`
  }
}

export const notification = (record: unknown, more: Fields = {}): Fields => ({
  Type: "Notification",
  MessageId: "22b80b92-fdea-4c2c-8f9d-bdfb0c7bf324",
  TopicArn: topic,
  Subject: "Amazon SES Email Event Notification",
  Message: JSON.stringify(record),
  Timestamp: timestamp,
  ...more
})

export const mail = {
  timestamp: "2017-08-05T00:40:02.012Z",
  source: "Sender Name <sender@example.com>",
  sendingAccountId: "123456789012",
  messageId: "EXAMPLE7c191be45-e9aedb9a-02f9-4d12-a87d-dd0099a07f8a-000000",
  destination: ["recipient@example.com"],
  headersTruncated: false,
  tags: {
    "ses:configuration-set": ["ConfigSet"],
    "ses:source-ip": ["192.0.2.0"],
    "tidings_message_id": [messageId],
    "tidings_attempt": ["1"]
  }
}

/** The records of the vendor's page (Examples of event data that Amazon SES publishes to Amazon SNS), with our tags. */
export const bounced = {
  eventType: "Bounce",
  bounce: {
    bounceType: "Permanent",
    bounceSubType: "General",
    bouncedRecipients: [{
      emailAddress: "recipient@example.com",
      action: "failed",
      status: "5.1.1",
      diagnosticCode: "smtp; 550 5.1.1 user unknown"
    }],
    timestamp: "2017-08-05T00:41:02.669Z",
    feedbackId: "01000157c44f053b-61b59c11-9236-11e6-8f96-7be8aexample-000000",
    reportingMTA: "dsn; mta.example.com"
  },
  mail
}
export const delivered = {
  eventType: "Delivery",
  mail,
  delivery: {
    timestamp: "2016-10-19T23:21:04.133Z",
    processingTimeMillis: 11_893,
    recipients: ["recipient@example.com"],
    smtpResponse: "250 2.6.0 Message received",
    reportingMTA: "mta.example.com"
  }
}

export const confirmation = (more: Fields = {}): Fields => ({
  Type: "SubscriptionConfirmation",
  MessageId: "165545c9-2a5c-472c-8df2-7ff2be2b3b1b",
  Token: "2336412f37f",
  TopicArn: topic,
  Message: `You have chosen to subscribe to the topic ${topic}.\nTo confirm the subscription, visit the SubscribeURL.`,
  SubscribeURL: `https://sns.us-east-1.amazonaws.com/?Action=ConfirmSubscription&TopicArn=${topic}&Token=2336412f37f`,
  Timestamp: timestamp,
  ...more
})

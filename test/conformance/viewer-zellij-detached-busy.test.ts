import { describeBusyViewer } from './viewer/busy.ts'
import { describeZellijViewer } from './viewer-zellij.ts'

describeZellijViewer('headless', describeBusyViewer)

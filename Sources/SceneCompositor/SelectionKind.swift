internal import CWayland

/// Which of the two protocols an object speaks: they differ in their names alone.
enum SelectionKind {
  case clipboard, primary

  var sourceType: UnsafePointer<wl_interface>? {
    unsafe self == .clipboard ? wl_data_source_type() : zwp_primary_selection_source_v1_type()
  }

  var deviceType: UnsafePointer<wl_interface>? {
    unsafe self == .clipboard ? wl_data_device_type() : zwp_primary_selection_device_v1_type()
  }

  var offerType: UnsafePointer<wl_interface>? {
    unsafe self == .clipboard ? wl_data_offer_type() : zwp_primary_selection_offer_v1_type()
  }

  func sendOffer(_ device: OpaquePointer, _ offer: OpaquePointer, _ types: [String]) {
    switch self {
    case .clipboard:
      unsafe wl_data_device_send_data_offer(device, offer)
      for type in types { unsafe wl_data_offer_send_offer(offer, type) }
    case .primary:
      unsafe zwp_primary_selection_device_v1_send_data_offer(device, offer)
      for type in types { unsafe zwp_primary_selection_offer_v1_send_offer(offer, type) }
    }
  }

  func sendSelection(_ device: OpaquePointer, _ offer: OpaquePointer?) {
    switch self {
    case .clipboard: unsafe wl_data_device_send_selection(device, offer)
    case .primary: unsafe zwp_primary_selection_device_v1_send_selection(device, offer)
    }
  }

  func sendSend(_ source: OpaquePointer, _ type: String, _ descriptor: CInt) {
    switch self {
    case .clipboard: unsafe wl_data_source_send_send(source, type, descriptor)
    case .primary: unsafe zwp_primary_selection_source_v1_send_send(source, type, descriptor)
    }
  }

  func sendCancelled(_ source: OpaquePointer) {
    switch self {
    case .clipboard: unsafe wl_data_source_send_cancelled(source)
    case .primary: unsafe zwp_primary_selection_source_v1_send_cancelled(source)
    }
  }
}
